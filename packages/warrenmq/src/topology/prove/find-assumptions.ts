import { countsByItself } from './ends.ts'
import { findLoops } from './find-loops.ts'
import type { TopologyGraph } from './topology-graph.ts'

/** What a proof takes for granted, because no topology can say it. */
export interface Assumption {
  /** Which assumption it is. */
  readonly name: 'no-expiration' | 'consumers-count' | 'not-consumed'
  /** The assumption as a sentence for people. */
  readonly text: string
  /** The queues whose proof needs it. */
  readonly queues: readonly string[]
}

export function findAssumptions(graph: TopologyGraph): readonly Assumption[] {
  return [...assumeNoExpiration(graph), ...assumeCounting(graph), ...assumeRoles(graph)]
}

/**
 * A queue that dead-letters into its own wait queue needs messages without an `expiration`: one that expires
 * before it is handled comes round without a rejection, which the broker takes for a cycle. A producer that sets
 * one can be declared in `publications`, and is then a finding and no longer an assumption.
 */
function assumeNoExpiration(graph: TopologyGraph): readonly Assumption[] {
  const text =
    'No producer gives its messages an expiration. A message that expired here before it was handled would come round without a rejection, and the broker would drop it.'
  return assume(
    'no-expiration',
    text,
    workQueues(graph, (name) => wouldComeRound(graph, name)),
  )
}

/** A plain queue with a wait queue of its own is retried by consumers that nothing here knows. */
function assumeCounting(graph: TopologyGraph): readonly Assumption[] {
  const text =
    'Its consumers count how often a message comes back, for example by x-death, and give up in the end. Nothing in the topology does.'
  const loops = findLoops(
    graph.topology.queues.map(({ name }) => name),
    (name) => graph.hopQueues(name),
  )
  const counted = new Set(loops.filter((loop) => countsByItself(graph, loop)).flatMap((loop) => [...loop]))
  return assume(
    'consumers-count',
    text,
    workQueues(graph, (name) => counted.has(name)),
  )
}

/** What a queue is for was worked out from what it does, and that cannot show whether somebody consumes it. */
function assumeRoles({ topology }: TopologyGraph): readonly Assumption[] {
  const text =
    'Nobody consumes it: judging by its routes, it was taken for a wait queue or a dead-letter queue. If that is wrong, set its role in the config.'
  const inferred = topology.queues.filter(({ isRoleInferred }) => isRoleInferred === true)
  return assume(
    'not-consumed',
    text,
    inferred.map(({ name }) => name),
  )
}

function assume(name: Assumption['name'], text: string, queues: readonly string[]): readonly Assumption[] {
  return queues.length === 0 ? [] : [{ name, text, queues }]
}

function workQueues({ topology }: TopologyGraph, isMeant: (name: string) => boolean): readonly string[] {
  return topology.queues.filter(({ name, role }) => role === 'work' && isMeant(name)).map(({ name }) => name)
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
