import { groupBy } from '../group-by.ts'
import type { TopologyGraph } from './topology-graph.ts'

/** What the broker does by itself, and neither a topology nor a consumer of Warren can change. */
export interface Caveat {
  /** Which caveat it is. */
  readonly name: 'delivery-limit-counts-neighbours'
  /** What the broker does, as a sentence for people. */
  readonly text: string
  /** The queues that it concerns. */
  readonly queues: readonly string[]
}

/**
 * A return is counted for every message that a lost consumer held, so the neighbours of a message that kills its
 * consumer come over the limit together with it, and no handler needs to have seen them.
 */
export function findCaveats(graph: TopologyGraph): readonly Caveat[] {
  const limited = graph.topology.queues.filter(
    ({ name, role }) => role === 'work' && graph.settings(name).deliveryLimit !== undefined,
  )
  const alike = groupBy(limited, ({ name }) => {
    const { deliveryLimit, deadLetter } = graph.settings(name)
    return neighboursCount(deliveryLimit ?? 0, deadLetter === undefined ? 'deleted' : 'dead-lettered')
  })
  return [...alike].map(([text, queues]) => ({
    name: 'delivery-limit-counts-neighbours' as const,
    text,
    queues: queues.map(({ name }) => name),
  }))
}

function neighboursCount(limit: number, fate: string): string {
  const crashes = limit === 0 ? 'the first crash' : `crash ${limit + 1}`
  return `RabbitMQ's own delivery limit of ${limit} counts every message that a crashing consumer had prefetched, not only the one that crashed it: after ${crashes}, messages that no handler has seen are ${fate} too. A smaller prefetch puts fewer at risk.`
}
