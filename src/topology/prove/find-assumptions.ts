import type { TopologyGraph } from './topology-graph.ts'

/** What a proof takes for granted, because no topology can say it. */
export interface Assumption {
  readonly name: 'no-expiration'
  readonly text: string
  /** The queues whose proof needs it. */
  readonly queues: readonly string[]
}

/**
 * A queue that dead-letters into its own wait queue needs messages without an `expiration`: one that expires
 * before it is handled comes round without a rejection, which the broker takes for a cycle. A producer that sets
 * one can be declared in `publications`, and is then a finding and no longer an assumption.
 */
export function findAssumptions(graph: TopologyGraph): readonly Assumption[] {
  const queues = graph.topology.queues
    .filter(({ name, role }) => role === 'work' && wouldComeRound(graph, name))
    .map(({ name }) => name)
  if (queues.length === 0) return []
  const text =
    'No producer gives its messages an expiration. One that expired here before it was handled would come round without a rejection, and the broker would cut it off.'
  return [{ name: 'no-expiration', text, queues }]
}

function wouldComeRound(graph: TopologyGraph, queue: string): boolean {
  const { deadLetter, deathReasons } = graph.settings(queue)
  if (deadLetter === undefined || deathReasons.includes('expired')) return false
  const open = [...graph.hopQueues(queue)]
  const seen = new Set(open)
  for (const name of open) {
    if (name === queue) return true
    if (!graph.settings(name).deathReasons.some((reason) => reason !== 'rejected')) continue
    for (const target of graph.hopQueues(name)) {
      if (seen.has(target)) continue
      seen.add(target)
      open.push(target)
    }
  }
  return false
}
