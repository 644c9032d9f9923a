import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { useAcknowledgement } from '../notes/use-acknowledgement.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { Page } from '../parts/page.tsx'
import { RowList } from '../parts/row-list.tsx'
import { AgeText } from '../parts/time-text.tsx'
import { formatCount } from '../words/format-count.ts'
import { StateBadge } from './state-badge.tsx'

export function TaskListPage(): ReactNode {
  const { data: tasks } = useQuery(queries.tasks())
  return (
    <Page title="Tasks" about="Re-drives of all servers, and looks of this one, newest first.">
      {!tasks && <LoadingRows what="Reading the tasks" />}
      {tasks?.length === 0 && (
        <EmptyState title="No task yet">
          A re-drive is one. You start it on the page of a dead-letter queue.
        </EmptyState>
      )}
      {tasks && tasks.length > 0 && (
        <RowList label="Tasks">
          {tasks.map((task) => (
            <TaskRow key={task.id} task={task} />
          ))}
        </RowList>
      )}
    </Page>
  )
}

function TaskRow({ task }: { readonly task: Schemas['Task'] }): ReactNode {
  const { id, kind, queue, by, reason, startedAt, endedAt } = task
  const acknowledgement = useAcknowledgement(id)
  const isLook = kind === 'snapshot'
  return (
    <li className="flex items-center gap-4 px-4 py-2.5 hover:bg-hover">
      <div className="min-w-0 flex-1">
        <Link to="/tasks/$id" params={{ id }} className="foreign block font-medium hover:underline">
          <span className="font-normal text-quiet">{isLook ? 'Look at ' : 'Re-drive of '}</span>
          {queue}
        </Link>
        <p className="foreign line-clamp-3 text-xs text-quiet">
          <bdi>{by}</bdi>
          {reason !== null && (
            <>
              : <bdi>{reason}</bdi>
            </>
          )}
        </p>
        <p className="num text-xs text-quiet sm:hidden">
          <Moved task={task} />, <AgeText at={startedAt} />
        </p>
        {acknowledgement && (
          <p className="foreign text-xs text-quiet">acknowledged by {acknowledgement.by}</p>
        )}
        {!acknowledgement && !isLook && endedAt !== null && (
          <p className="text-xs text-warn">not acknowledged</p>
        )}
      </div>
      <span className="sm:w-36">
        <StateBadge task={task} />
      </span>
      <span className="num hidden w-44 text-right sm:block">
        <Moved task={task} />
      </span>
      <span className="hidden w-24 text-right text-quiet md:block">
        <AgeText at={startedAt} />
      </span>
    </li>
  )
}

function Moved({ task: { kind, progress } }: { readonly task: Schemas['Task'] }): ReactNode {
  const isLook = kind === 'snapshot'
  return (
    <>
      {formatCount(isLook ? progress.kept : progress.moved)}{' '}
      <span className="text-quiet">
        of {formatCount(progress.present)} {isLook ? 'seen' : 'moved'}
      </span>
    </>
  )
}
