import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { isGone } from '../api/queries.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { ClockText } from '../parts/time-text.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { QueueTrail } from '../queue/queue-trail.tsx'
import { snapshotQueries } from '../snapshot/snapshot-queries.ts'
import { useSnapshot } from '../snapshot/use-snapshot.ts'
import { formatBytes } from '../words/format-bytes.ts'
import { formatCount, formatCounted } from '../words/format-count.ts'
import { BodyPanel } from './body-panel.tsx'
import { EditPanel } from './edit-panel.tsx'
import { HeaderTable } from './header-table.tsx'
import { LifeLine } from './life-line.tsx'
import { MessageActions } from './message-actions.tsx'
import { nameOfMessage } from './name-of-message.ts'
import { PropertyList } from './property-list.tsx'

const route = getRouteApi('/queues/$queue/messages/$key')

export function MessagePage(): ReactNode {
  const { queue, key } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const isKey = /^[0-9a-f]{32}$/.test(key)
  const held = useSnapshot(queue)
  const { snapshot } = held
  const { data: message, error } = useQuery({
    ...snapshotQueries.message({ snapshot: snapshot ?? { queue, id: '', state: 'running' }, key }),
    enabled: isKey && snapshot?.state === 'done',
  })
  const list = search.where === undefined ? {} : { where: search.where }
  useKeys({ u: () => void navigate({ to: '/queues/$queue', params: { queue }, search: list }) })
  const problem = error ?? held.error
  return (
    <Page
      above={<QueueTrail queue={queue} list={list} />}
      title={message ? nameOfMessage(message, queue) : 'Message'}
      about={message && <About message={message} />}
      actions={message && !search.edit && <MessageActions queue={queue} message={message} />}
    >
      {!isKey && <NoAddress />}
      {isKey && !message && !problem && <LoadingRows what="Looking for the message" />}
      {isGone(error) && snapshot && <GoneMessage asOf={snapshot.asOf} onLook={held.lookAgain} />}
      {isGone(held.error) && <GoneMessage />}
      {problem && !isGone(problem) && <ProblemNotice error={problem} onRetry={held.lookAgain} />}
      {message && !search.edit && <Content queue={queue} message={message} />}
      {message && search.edit && <EditPanel key={key} queue={queue} message={message} />}
    </Page>
  )
}

function NoAddress(): ReactNode {
  const { queue } = route.useParams()
  return (
    <EmptyState title="This is not the address of a message">
      The link may have been cut off.{' '}
      <Link to="/queues/$queue" params={{ queue }} className="text-accent underline">
        See the messages of the queue
      </Link>
      .
    </EmptyState>
  )
}

function GoneMessage({ asOf, onLook }: { readonly asOf?: string; readonly onLook?: () => void }): ReactNode {
  const { queue } = route.useParams()
  return (
    <EmptyState title="The message is no longer in the queue">
      It was re-driven, removed, or expired since the link was made
      {asOf !== undefined && (
        <>
          , or it arrived after <ClockText at={asOf} />, when the queue was looked at
        </>
      )}
      .{' '}
      {onLook && (
        <>
          <button type="button" className="text-accent underline" onClick={onLook}>
            Look again
          </button>
          , or{' '}
        </>
      )}
      <Link to="/queues/$queue" params={{ queue }} className="text-accent underline">
        see what is there
      </Link>
      .
    </EmptyState>
  )
}

function About({
  message: { id, bodyBytes, cause, asOf, position, sameContent },
}: {
  readonly message: Schemas['SnapshotMessageDetail']
}): ReactNode {
  return (
    <>
      <p className="foreign text-ink">{cause.label}</p>
      <p className="foreign mt-1 font-mono text-xs">
        <bdi>{id ?? 'without an id'}</bdi> · {formatBytes(bodyBytes)}
        <span className="font-sans">
          {' '}
          · number {formatCount(position + 1)} in the queue as of <ClockText at={asOf} />
          {sameContent > 0 && `, and ${formatCounted(sameContent, 'other')} with the same content`}
        </span>
      </p>
    </>
  )
}

function Content({
  queue,
  message,
}: {
  readonly queue: string
  readonly message: Schemas['SnapshotMessageDetail']
}): ReactNode {
  return (
    <div className="grid min-w-0 grid-cols-1 gap-6 pb-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-6">
        <BodyPanel message={message} />
        <HeaderTable queue={queue} headers={message.headers} />
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        <LifeLine message={message} />
        <PropertyList message={message} />
      </div>
    </div>
  )
}
