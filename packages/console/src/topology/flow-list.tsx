import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useMemo, useRef } from 'react'
import { EmptyState } from '../parts/empty-state.tsx'
import { SectionTitle } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { formatCount, formatCounted } from '../words/format-count.ts'
import { FlowBox } from './flow-box.tsx'
import { type FlowFacts, type FlowQueue, type QueueFlow, queueFlows } from './queue-flows.ts'

const route = getRouteApi('/topology')

/** More than anybody reads; the search finds the others. */
const mostFlows = 100
/** So few are seen at a glance. */
const fewFlows = 8

/** Every queue with where its messages come from, and where they go when they fail. */
export function FlowList({ live, declared, lossy, dlqs }: FlowFacts): ReactNode {
  const { find = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const field = useRef<HTMLInputElement>(null)
  useKeys({ '/': () => field.current?.focus() })
  const all = useMemo(() => queueFlows({ live, declared, lossy, dlqs }), [live, declared, lossy, dlqs])
  const found = all.filter(({ owner, queues }) => {
    const names = [owner, ...queues.map(({ name }) => name)]
    return names.some((name) => name.toLowerCase().includes(find.toLowerCase()))
  })
  const shown = found.slice(0, mostFlows)
  const lone = shown.filter(isLone)
  const flows = shown.filter((flow) => !isLone(flow))
  return (
    <section className="flex flex-col gap-5 pb-8">
      <div>
        <SectionTitle beside="depths are some seconds old">How messages flow</SectionTitle>
        {all.length > fewFlows && (
          <div className="mb-3">
            <SearchField
              ref={field}
              label="Find a queue"
              value={find}
              onChange={(text) =>
                void navigate({ to: '.', search: text === '' ? {} : { find: text }, replace: true })
              }
            />
          </div>
        )}
        <ul className="flex flex-col gap-2">
          {flows.map((flow) => (
            <li key={flow.owner} className="rounded-lg border border-line bg-panel p-3">
              <Flow flow={flow} />
            </li>
          ))}
        </ul>
        {found.length === 0 && <EmptyState title="No queue matches">Search for less.</EmptyState>}
      </div>
      {lone.length > 0 && (
        <div>
          <SectionTitle beside={formatCounted(lone.length, 'queue')}>
            Dead-letter queues that no queue leads to
          </SectionTitle>
          <ul className="grid grid-cols-1 gap-1.5 sm:grid-cols-2 lg:grid-cols-3">
            {lone.flatMap(({ queues }) => queues.map((queue) => <FlowBox key={queue.name} queue={queue} />))}
          </ul>
        </div>
      )}
      {found.length > shown.length && (
        <p className="text-quiet" role="status">
          {formatCount(shown.length)} of {formatCount(found.length)} are shown. Search to see others.
        </p>
      )}
    </section>
  )
}

function isLone({ queues, sources }: QueueFlow): boolean {
  return sources.length === 0 && queues.every(({ role, isMissing }) => role === 'dead-letter' && !isMissing)
}

/** From left to right: where they come from, who works, where they wait, where they end. */
function Flow({ flow: { sources, queues } }: { readonly flow: QueueFlow }): ReactNode {
  const ofRole = (...roles: readonly FlowQueue['role'][]): readonly FlowQueue[] =>
    queues.filter(({ role }) => roles.includes(role))
  const waiting = ofRole('wait')
  const parked = ofRole('dead-letter')
  return (
    <div className="grid grid-cols-1 items-center gap-x-2 gap-y-1.5 lg:grid-cols-[minmax(0,10rem)_auto_minmax(0,1fr)_auto_minmax(0,1fr)_auto_minmax(0,1fr)]">
      <Sources sources={sources} />
      <Arrow isShown={sources.length > 0} />
      <Stack queues={ofRole('work', 'queue')} />
      <Arrow isShown={waiting.length > 0} says="fails" isBoth />
      <Stack queues={waiting} />
      <Arrow isShown={parked.length > 0} says="gives up" />
      <Stack queues={parked} />
    </div>
  )
}

function Stack({ queues }: { readonly queues: readonly FlowQueue[] }): ReactNode {
  return (
    <ul className="flex min-w-0 flex-col gap-1.5">
      {queues.map((queue) => (
        <FlowBox key={queue.name} queue={queue} />
      ))}
    </ul>
  )
}

const mostSources = 4

function Sources({ sources }: { readonly sources: readonly string[] }): ReactNode {
  if (sources.length === 0) return <p className="text-xs text-faint">No exchange leads here</p>
  return (
    <ul className="flex min-w-0 flex-col gap-0.5 text-xs text-quiet">
      {sources.slice(0, mostSources).map((source) => (
        <li key={source} className="foreign truncate" title={source}>
          {source}
        </li>
      ))}
      {sources.length > mostSources && <li>and {sources.length - mostSources} others</li>}
    </ul>
  )
}

/** For the eye: what the columns are, the boxes say in words. */
function Arrow({
  isShown,
  says,
  isBoth = false,
}: {
  readonly isShown: boolean
  readonly says?: string
  readonly isBoth?: boolean
}): ReactNode {
  return (
    <span
      aria-hidden="true"
      className="hidden w-14 flex-col items-center text-[0.6875rem] leading-3 text-faint lg:flex"
    >
      {isShown && (
        <>
          {says}
          <svg
            aria-hidden="true"
            viewBox="0 0 48 10"
            className="w-12 stroke-edge"
            fill="none"
            strokeWidth="1.25"
          >
            <path
              d={isBoth ? 'M1 5h46M43 1.5l4 3.5-4 3.5M5 1.5l-4 3.5 4 3.5' : 'M1 5h46M43 1.5l4 3.5-4 3.5'}
            />
          </svg>
        </>
      )}
    </span>
  )
}
