import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { Badge } from '../parts/badge.tsx'
import { SectionTitle } from '../parts/page.tsx'
import { formatCount, formatCounted } from '../words/format-count.ts'
import { type FlowQueue, queueFlows } from './queue-flows.ts'

const roles: Readonly<Record<FlowQueue['role'], string>> = {
  work: 'worked on',
  wait: 'waits',
  'dead-letter': 'dead letters',
  queue: '',
}

/** Every queue with where its messages come from, and where they go when they fail. */
export function FlowList({
  live,
  declared,
}: {
  readonly live: Schemas['LiveTopology']
  readonly declared: Schemas['CompiledTopology'] | undefined
}): ReactNode {
  const flows = queueFlows(live, declared)
  return (
    <section className="pb-8">
      <SectionTitle beside="depths are some seconds old">Queues</SectionTitle>
      <ul className="flex flex-col gap-2">
        {flows.map(({ owner, sources, queues }) => (
          <li key={owner} className="rounded-lg border border-line bg-panel">
            {sources.length > 0 && (
              <p className="foreign border-b border-line px-4 py-1.5 text-xs text-quiet">
                from {sources.join(', ')}
              </p>
            )}
            <ol>
              {queues.map((queue) => (
                <QueueLine key={queue.name} queue={queue} />
              ))}
            </ol>
          </li>
        ))}
      </ul>
    </section>
  )
}

function QueueLine({
  queue: { name, role, messages, consumers, isMissing },
}: {
  readonly queue: FlowQueue
}): ReactNode {
  return (
    <li className="flex items-baseline gap-4 px-4 py-1.5">
      <span className={`foreign min-w-0 flex-1 truncate ${role === 'work' ? 'font-medium' : ''}`}>
        {role === 'dead-letter' ? (
          <Link to="/queues/$queue" params={{ queue: name }} className="hover:underline">
            {name}
          </Link>
        ) : (
          name
        )}
      </span>
      <span className="hidden w-24 text-quiet sm:block">{roles[role]}</span>
      {isMissing ? (
        <Badge tone="bad">not there</Badge>
      ) : (
        <>
          <span className="num hidden w-28 text-right text-quiet sm:block">
            {consumers === null ? '–' : formatCounted(consumers, 'consumer')}
          </span>
          <span className={`num w-20 text-right ${role === 'dead-letter' && messages ? 'text-bad' : ''}`}>
            {messages === null ? '–' : formatCount(messages)}
          </span>
        </>
      )}
    </li>
  )
}
