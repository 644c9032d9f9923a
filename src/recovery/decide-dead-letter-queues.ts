import type { CompiledTopology } from '../topology/compiled-topology.ts'
import type { LiveQueue, LiveTopology } from '../topology/live-topology.ts'
import { indexRoutes } from '../topology/route.ts'

/** A queue in which messages end, and how that is known. */
export interface DeadLetterQueue {
  readonly queue: string
  readonly type: LiveQueue['type']
  /** Seconds old; undefined where the broker does not say. */
  readonly messages: number | undefined
  readonly consumers: number | undefined
  /** The queues whose dead letters come here. */
  readonly sources: readonly string[]
  readonly knownBy: 'topology' | 'dead-lettering' | 'name'
}

/** Finds the dead-letter queues of a vhost: declared ones, those that queues dead-letter to, and those named so. */
export function decideDeadLetterQueues(
  live: LiveTopology,
  topology?: CompiledTopology | undefined,
): readonly DeadLetterQueue[] {
  const sources = findSources(live)
  const declared = new Set(topology?.flows.flatMap(({ deadLetterQueue }) => deadLetterQueue ?? []))
  return live.queues.flatMap((queue) => {
    const knownBy = decideKind(queue, declared, sources)
    if (knownBy === undefined) return []
    const { name, type, messages, consumers } = queue
    return [{ queue: name, type, messages, consumers, sources: sources.get(name) ?? [], knownBy }]
  })
}

function decideKind(
  queue: LiveQueue,
  declared: ReadonlySet<string>,
  sources: ReadonlyMap<string, readonly string[]>,
): DeadLetterQueue['knownBy'] | undefined {
  if (declared.has(queue.name)) return 'topology'
  // A queue that dead-letters on by itself is a station on the way, such as a wait queue or the work queue
  // that a wait queue returns to.
  if (setting(queue, 'dead-letter-exchange') !== undefined) return undefined
  if (sources.has(queue.name)) return 'dead-lettering'
  return /(^|[._-])(dlq|dead-?letters?|parking)$/i.test(queue.name) ? 'name' : undefined
}

function findSources(live: LiveTopology): ReadonlyMap<string, readonly string[]> {
  const routes = indexRoutes(live)
  const sources = new Map<string, string[]>()
  for (const queue of live.queues) {
    const exchange = setting(queue, 'dead-letter-exchange')
    if (typeof exchange !== 'string') continue
    const key = setting(queue, 'dead-letter-routing-key')
    const reached =
      typeof key === 'string'
        ? routes.route({ exchange, key })
        : routes.mayRoute(exchange, ownKey(exchange, queue))
    for (const { queue: target } of reached) {
      sources.set(target, [...(sources.get(target) ?? []), queue.name])
    }
  }
  return sources
}

// A message keeps its own key, which can be anything; only the default exchange takes it for a queue's name.
function ownKey(exchange: string, queue: LiveQueue): string {
  return exchange === '' ? queue.name : '#'
}

function setting({ arguments: args, effectivePolicy }: LiveQueue, key: string): unknown {
  return args[`x-${key}`] ?? effectivePolicy?.[key]
}
