import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { SectionTitle } from '../parts/page.tsx'
import { FlowBox } from './flow-box.tsx'
import { type FlowQueue, type QueueFlow, queueFlows } from './queue-flows.ts'

/** Every queue with where its messages come from, and where they go when they fail. */
export function FlowList({
  live,
  declared,
  lossy,
}: {
  readonly live: Schemas['LiveTopology']
  readonly declared: Schemas['CompiledTopology'] | undefined
  /** Queues about which something is not proved. */
  readonly lossy: readonly string[]
}): ReactNode {
  const flows = queueFlows(live, declared, lossy)
  return (
    <section className="pb-8">
      <SectionTitle beside="depths are some seconds old">How messages flow</SectionTitle>
      <ul className="flex flex-col gap-2">
        {flows.map((flow) => (
          <li key={flow.owner} className="rounded-lg border border-line bg-panel p-3">
            <Flow flow={flow} />
          </li>
        ))}
      </ul>
    </section>
  )
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
