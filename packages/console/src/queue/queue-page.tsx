import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { isGone } from '../api/queries.ts'
import { useForbidden } from '../app/use-session.ts'
import { DownloadLink } from '../backups/download-link.tsx'
import type { KnownValue } from '../filter/complete-filter.ts'
import { FilterLine } from '../filter/filter-line.tsx'
import { filterOfIds } from '../filter/filter-of-ids.ts'
import { QueueNote } from '../notes/queue-note.tsx'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { LoadingRows } from '../parts/loading-rows.tsx'
import { Page } from '../parts/page.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { formatCounted } from '../words/format-count.ts'
import { CauseCards } from './cause-cards.tsx'
import { DeathHistogram } from './death-histogram.tsx'
import { FacetPanel } from './facet-panel.tsx'
import { LookLine } from './look-line.tsx'
import { LookProblem } from './look-problem.tsx'
import { LookProgress } from './look-progress.tsx'
import { MessageList } from './message-list.tsx'
import { NoQueue } from './no-queue.tsx'
import { QueueAbout } from './queue-about.tsx'
import { type QueueLook, useQueueLook } from './use-queue-look.ts'

const route = getRouteApi('/queues/$queue')

export function QueuePage(): ReactNode {
  const { queue } = route.useParams()
  const search = route.useSearch()
  const { where } = search
  const navigate = route.useNavigate()
  const look = useQueueLook(queue, search)
  const field = useRef<HTMLInputElement>(null)
  const redrive = useRedrive(look)
  const isMissing = isGone(look.error)
  useKeys({
    '/': () => field.current?.focus(),
    r: () => redrive.start(),
    u: () => void navigate({ to: '/' }),
  })
  const filter = (asked: string | undefined): void =>
    void navigate({
      to: '.',
      search: { ...(asked !== undefined && { where: asked }), ...(search.sort && { sort: search.sort }) },
    })
  return (
    <Page
      above={
        <Link to="/" className="hover:underline">
          Dead letters
        </Link>
      }
      title={queue}
      about={
        !isMissing && (
          <>
            <QueueAbout queue={queue} />
            <QueueNote key={queue} queue={queue} />
          </>
        )
      }
      actions={
        !isMissing && (
          <>
            <DownloadLink
              path={`/api/v1/dlqs/${encodeURIComponent(queue)}/backup${where === undefined ? '' : `?where=${encodeURIComponent(where)}`}`}
              hint="A backup of these messages, byte for byte. They stay in the queue."
            />
            <Button
              offBecause={redrive.noDiscard}
              onClick={() => void navigate({ to: '/queues/$queue/discard', search: redrive.search })}
            >
              Discard…
            </Button>
            <Button isMain onClick={redrive.start} offBecause={redrive.offBecause} hint="r">
              {redrive.words}
            </Button>
          </>
        )
      }
    >
      {isMissing ? (
        <NoQueue />
      ) : (
        <>
          {look.snapshot?.state === 'running' && <LookProgress snapshot={look.snapshot} />}
          <CauseCards causes={look.causes} where={where} onFilter={filter} />
          <DeathHistogram histogram={look.histogram} where={where} onFilter={filter} />
          <FilterLine
            ref={field}
            where={where ?? ''}
            valuesOf={(name) => valuesOf(look, name)}
            onFilter={filter}
          />
          {look.error && <LookProblem queue={queue} error={look.error} onRetry={look.lookAgain} />}
          {!look.error && <LookLine look={look} />}
          <Messages look={look} onFilter={filter} />
        </>
      )}
    </Page>
  )
}

function Messages({
  look,
  onFilter,
}: {
  readonly look: QueueLook
  readonly onFilter: (where: string | undefined) => void
}): ReactNode {
  const { where } = route.useSearch()
  const { snapshot, messages, error, hasMore, facets } = look
  if (!messages && error) return null
  if (!messages)
    return (
      <LoadingRows
        what={snapshot?.state === 'done' ? 'Reading the messages' : 'The list comes when all have been seen'}
      />
    )
  if (messages.length === 0 && !hasMore) return <NoMessages isFiltered={where !== undefined} />
  return (
    <div className="flex flex-col gap-5 pb-4 lg:min-h-0 lg:flex-1 lg:flex-row">
      <div className="flex max-h-[34rem] min-w-0 flex-col lg:max-h-none lg:min-h-80 lg:flex-1">
        <MessageList look={look} messages={messages} />
      </div>
      <FacetPanel facets={facets} where={where} onFilter={onFilter} />
    </div>
  )
}

/** What messages have, for whoever writes a filter. */
function valuesOf({ facets }: QueueLook, field: string): readonly KnownValue[] {
  const values =
    facets?.facets.find((facet) => (facet.name === null ? facet.field : `header.${facet.name}`) === field)
      ?.values ?? []
  return values.flatMap(({ value, label, count }) => (value === null ? [] : [{ value, label, count }]))
}

function NoMessages({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (isFiltered)
    return (
      <EmptyState title="No message matches">
        The filter was asked of every message that is in the queue.
      </EmptyState>
    )
  return (
    <EmptyState title="No dead letters here">What dies from now on is shown when you look again.</EmptyState>
  )
}

/** What `r` and the buttons do: the selection, or else all that match. */
function useRedrive({ messages = [], matched }: QueueLook) {
  const { selected = [], where } = route.useSearch()
  const navigate = route.useNavigate()
  const mayNotRedrive = useForbidden('dlq:redrive')
  const mayNotDiscard = useForbidden('dlq:discard')
  const ids = messages.filter(({ key }) => selected.includes(key)).map(({ id }) => id)
  const chosen = selected.length > 0 ? filterOfIds(ids) : where
  const nothing = selected.length > 0 || matched !== 0 ? undefined : 'No message matches.'
  const offBecause = mayNotRedrive ?? nothing
  const isUnnamed = selected.length > 0 && (chosen === undefined || ids.length < selected.length)
  const search = isUnnamed ? { keys: selected } : chosen === undefined ? {} : { where: chosen }
  return {
    search,
    offBecause,
    noDiscard: mayNotDiscard ?? nothing,
    words: selected.length > 0 ? `Re-drive ${formatCounted(selected.length, 'message')}…` : 'Re-drive…',
    start: () => {
      if (offBecause === undefined) void navigate({ to: '/queues/$queue/redrive', search })
    },
  }
}
