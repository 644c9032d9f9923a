import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { EmptyState } from '../parts/empty-state.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { Page } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { formatCount, formatCounted } from '../words/format-count.ts'
import { QueueList } from './queue-list.tsx'
import { findQueues, type RankedQueue } from './ranked-queue.ts'
import { useRankedQueues } from './use-ranked-queues.ts'
import { VhostLinks } from './vhost-links.tsx'

const route = getRouteApi('/')

export function HomePage(): ReactNode {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const ranked = useRankedQueues()
  const field = useRef<HTMLInputElement>(null)
  useKeys({ '/': () => field.current?.focus() })
  const found = ranked && findQueues(ranked, search)
  return (
    <Page title="Dead letters" about={ranked && <Summary queues={ranked} />}>
      <VhostLinks />
      <div className="flex flex-wrap items-center gap-3">
        <SearchField
          ref={field}
          label="Find a queue"
          value={search.find ?? ''}
          onChange={(find) => void navigate({ to: '.', search: { ...search, find }, replace: true })}
        />
        <label className="flex items-center gap-2 text-quiet">
          <input
            type="checkbox"
            checked={search.growing ?? false}
            onChange={({ target }) =>
              void navigate({ to: '.', search: { ...search, growing: target.checked } })
            }
            className="accent-action"
          />
          Only queues that grow
        </label>
      </div>
      {!found && <LoadingRows what="Reading the queues" />}
      {found && found.length > 0 && <QueueList queues={found} />}
      {found?.length === 0 && <NoQueues isSearch={(ranked?.length ?? 0) > 0} />}
    </Page>
  )
}

function Summary({ queues }: { readonly queues: readonly RankedQueue[] }): ReactNode {
  const total = queues.reduce((sum, { messages }) => sum + (messages ?? 0), 0)
  const holding = queues.filter(({ messages }) => (messages ?? 0) > 0).length
  if (total === 0) return <>No dead letters in {formatCounted(queues.length, 'queue')}.</>
  return (
    <>
      {formatCounted(total, 'message')} in {formatCount(holding)} of {formatCounted(queues.length, 'queue')}.
      The most urgent first.
    </>
  )
}

function NoQueues({ isSearch }: { readonly isSearch: boolean }): ReactNode {
  if (isSearch)
    return (
      <EmptyState title="No queue matches">
        Search for less, or show the queues that do not grow, too.
      </EmptyState>
    )
  return (
    <EmptyState title="There is no dead-letter queue here">
      A queue is shown here if another queue dead-letters into it, if the config declares it, or if its name
      says so.
    </EmptyState>
  )
}
