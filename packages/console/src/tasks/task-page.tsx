import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { TimeText } from '../parts/time-text.tsx'
import { LookProgress } from '../queue/look-progress.tsx'
import { formatCount, formatCounted } from '../words/format-count.ts'
import { balanceOf, isOver } from './balance.ts'
import { BalanceBar } from './balance-bar.tsx'
import { ReceiptPanel } from './receipt-panel.tsx'
import { StateBadge } from './state-badge.tsx'
import { TaskActions } from './task-actions.tsx'
import { TaskPace } from './task-pace.tsx'

const route = getRouteApi('/tasks/$id')

export function TaskPage(): ReactNode {
  const { id } = route.useParams()
  const { data: tasks } = useQuery(queries.tasks())
  const task = tasks?.find((each) => each.id === id)
  const receipt = useQuery({ ...queries.receipt(id), enabled: task?.kind === 'redrive' && isOver(task) })
  const above = (
    <Link to="/tasks" className="hover:underline">
      Tasks
    </Link>
  )
  if (!tasks)
    return (
      <Page above={above} title="Re-drive">
        <LoadingRows what="Reading the task" />
      </Page>
    )
  if (!task)
    return (
      <Page above={above} title="There is no such task">
        <EmptyState title="The task is not known here">
          Tasks are kept for a month, and only those of queues that you may read are shown.{' '}
          <Link to="/tasks" className="text-accent underline">
            See all tasks
          </Link>
          .
        </EmptyState>
      </Page>
    )
  return (
    <Page
      above={above}
      title={`${kindOf(task)} ${task.queue}`}
      heading={
        <>
          {kindOf(task)} <span className="foreign">{task.queue}</span>
        </>
      }
      about={
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          <StateBadge task={task} />
          <span className="foreign">
            by <bdi>{task.by}</bdi> on {task.host}
          </span>
          <span>
            started <TimeText at={task.startedAt} />
          </span>
        </div>
      }
      actions={<TaskActions task={task} />}
    >
      <div className="flex flex-col gap-6 pb-8">
        {task.reason !== null && <p className="foreign text-base">“{task.reason}”</p>}
        {task.problem && <Notice tone="bad">{task.problem.detail}</Notice>}
        {!task.isSigned && (
          <Notice tone="warn">
            This record is not signed with the key of this server, so it may be forged.
          </Notice>
        )}
        {task.kind === 'snapshot' ? <LookedAt task={task} /> : <BalanceBar balance={balanceOf(task)} />}
        {task.kind === 'redrive' && !isOver(task) && <TaskPace task={task} />}
        {receipt.data && <ReceiptPanel receipt={receipt.data} />}
        {receipt.error && <ProblemNotice error={receipt.error} onRetry={() => void receipt.refetch()} />}
        {task.kind === 'redrive' && isOver(task) && <WhatIsLeft task={task} />}
      </div>
    </Page>
  )
}

function kindOf({ kind }: Schemas['Task']): string {
  return kind === 'snapshot' ? 'Look at' : 'Re-drive of'
}

/** Where to go on from a receipt. */
function WhatIsLeft({ task }: { readonly task: Schemas['Task'] }): ReactNode {
  const { failed, kept, stillThere } = balanceOf(task)
  const left = failed + kept + stillThere
  return (
    <p>
      <Link to="/queues/$queue" params={{ queue: task.queue }} className="text-accent hover:underline">
        {left === 0
          ? 'See the queue'
          : `See the ${formatCounted(left, 'message')} that ${left === 1 ? 'was' : 'were'} left in the queue`}
      </Link>
    </p>
  )
}

/** A look leaves everything where it is: what it saw is on the page of its queue. */
function LookedAt({ task: { queue, progress } }: { readonly task: Schemas['Task'] }): ReactNode {
  return (
    <div className="flex flex-col gap-3">
      <LookProgress snapshot={{ progress: { present: progress.present, seen: progress.kept } }} />
      <p>
        <span className="num">
          {formatCount(progress.kept)} of {formatCounted(progress.present, 'message')}
        </span>{' '}
        seen, and left where they are.{' '}
        <Link to="/queues/$queue" params={{ queue }} className="text-accent hover:underline">
          See them
        </Link>
      </p>
    </div>
  )
}
