import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { isGone, queries } from '../api/queries.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { QueueTrail } from '../queue/queue-trail.tsx'
import { formatBytes } from '../words/format-bytes.ts'
import { BodyPanel } from './body-panel.tsx'
import { commandOf } from './command-of.ts'
import { HeaderTable } from './header-table.tsx'
import { LifeLine } from './life-line.tsx'
import { PropertyList } from './property-list.tsx'
import { RedriveOne } from './redrive-one.tsx'

const route = getRouteApi('/queues/$queue/messages/$key')

export function MessagePage(): ReactNode {
  const { queue, key } = route.useParams()
  const { where } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: message, error, refetch } = useQuery(queries.message({ queue, key }))
  const list = where === undefined ? {} : { where }
  useKeys({ u: () => void navigate({ to: '/queues/$queue', params: { queue }, search: list }) })
  return (
    <Page
      above={<QueueTrail queue={queue} list={list} />}
      title={message ? (message.type ?? message.routingKey) : 'Message'}
      about={message && <About message={message} />}
      actions={
        message && (
          <>
            <CopyButton text={commandOf({ queue, id: message.id })}>Copy as command</CopyButton>
            <RedriveOne queue={queue} message={message} />
          </>
        )
      }
    >
      {!message && !error && <LoadingRows what="Looking for the message" />}
      {error && isGone(error) && (
        <EmptyState title="The message is no longer in the queue">
          It was re-driven, removed, or expired since the link was made.{' '}
          <Link to="/queues/$queue" params={{ queue }} search={list} className="text-accent underline">
            See what is there now
          </Link>
          .
        </EmptyState>
      )}
      {error && !isGone(error) && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {message && <Content message={message} />}
    </Page>
  )
}

function About({
  message: { id, bodyBytes, cause },
}: {
  readonly message: Schemas['MessageDetail']
}): ReactNode {
  return (
    <>
      <p className="foreign text-ink">{cause.label}</p>
      <p className="foreign mt-1 font-mono text-xs">
        {id ?? 'without an id'} · {formatBytes(bodyBytes)}
      </p>
    </>
  )
}

function Content({ message }: { readonly message: Schemas['MessageDetail'] }): ReactNode {
  return (
    <div className="grid min-w-0 grid-cols-1 gap-6 pb-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-6">
        <BodyPanel message={message} />
        <HeaderTable headers={message.headers} />
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        <LifeLine message={message} />
        <PropertyList message={message} />
      </div>
    </div>
  )
}
