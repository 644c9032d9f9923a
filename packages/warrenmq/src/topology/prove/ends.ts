import { cycleThrough, findLoops } from './find-loops.ts'
import { addressStep, type BrokenProperty } from './finding.ts'
import { findMisjudgedCycles } from './misjudged-cycles.ts'
import type { DeathReason } from './queue-settings.ts'
import type { TopologyGraph } from './topology-graph.ts'

/** No message goes round for ever, and none goes round in a way that the broker cuts by dropping it. */
export function* proveEnds(graph: TopologyGraph): Generator<Broken> {
  yield* proveNoCutCycle(graph)
  yield* proveNoMisjudgedCycle(graph)
  yield* proveCounted(graph)
}

type Broken = BrokenProperty<'ends'>

// RabbitMQ looks back over the deaths of a message. Where it would return to a queue that it left, with no
// rejection on the way round, the broker takes that for a cycle without end and drops the message.
function* proveNoCutCycle(graph: TopologyGraph): Generator<Broken> {
  const isAutomatic = (reason: DeathReason) => reason !== 'rejected'
  const next = (queue: string) => hopsBy(graph, queue, isAutomatic)
  for (const loop of findLoops(queueNames(graph), next)) {
    for (const queue of spokesmen(graph, loop)) {
      const cycle = cycleThrough(queue, loop, next)
      yield {
        code: 'cut-cycle',
        queue,
        path: [...cyclePath({ graph, cycle, isPossible: isAutomatic }), 'cut'],
        problem: `A message can come back without a rejection; the broker treats that as a cycle and ${fateOf(graph, cycle)}.`,
        wayOut: wayOutOf(graph, cycle),
      }
    }
  }
}

function* proveNoMisjudgedCycle(graph: TopologyGraph): Generator<Broken> {
  for (const hops of findMisjudgedCycles(graph)) {
    const home = hops[0]?.queue
    const steps = hops.flatMap(({ queue, reason }) => {
      const hop = graph.settings(queue).deadLetter
      return [queue, reason, addressStep(hop?.exchange ?? '', hop?.key)]
    })
    yield {
      code: 'cut-cycle',
      queue: home,
      path: [...steps, home ?? '', 'cut'],
      problem:
        'Before RabbitMQ 3.13, the broker loses the order of more than two deaths and overlooks the rejection in this loop: it takes it for a cycle without a rejection, and drops the message.',
      wayOut: 'Shorten the loop to one wait queue, or upgrade to 3.13.3 or later.',
    }
  }
}

function wayOutOf(graph: TopologyGraph, cycle: readonly string[]): string {
  const settings = cycle.map((name) => graph.settings(name))
  if (settings.some(({ deathReasons }) => deathReasons.includes('delivery_limit'))) {
    return 'Lift the delivery limit (x-delivery-limit: -1, from RabbitMQ 4.0 on), or let the queue dead-letter to its DLQ.'
  }
  return settings.some(({ hasExpirations }) => hasExpirations)
    ? 'Publish without an expiration, or use layout warren, where expired messages go to the DLQ.'
    : 'Make the wait queue return only messages that were rejected or published there.'
}

function fateOf(graph: TopologyGraph, cycle: readonly string[]): string {
  const isKept = graph.settings(cycle.at(-1) ?? '').deadLetter?.isAtLeastOnce ?? false
  return isKept ? 'keeps it forever, where no consumer sees it' : 'drops it'
}

function* proveCounted(graph: TopologyGraph): Generator<Broken> {
  // A consumer that retries by rejecting counts the rejections and parks at the last; others do not stop.
  const counts = (queue: string) => graph.flow(queue)?.retry?.kind === 'reject'
  const isPossible = () => true
  const isRejected = (queue: string) => graph.settings(queue).deathReasons.includes('rejected')
  const next = (queue: string) => (counts(queue) ? [] : hopsBy(graph, queue, isPossible))
  for (const loop of findLoops(queueNames(graph).filter(isRejected), next)) {
    for (const queue of loop.filter(isRejected)) {
      const cycle = cycleThrough(queue, loop, next)
      if (countsByItself(graph, cycle)) continue
      yield {
        code: 'uncounted-cycle',
        queue,
        path: [...cyclePath({ graph, cycle, isPossible }), 'and so on'],
        problem: 'A rejected message comes back, and nothing counts how often.',
        wayOut:
          'Declare the queue with a retry policy, or dead-letter it to a queue that does not lead back.',
      }
    }
  }
}

/**
 * Whoever put a wait queue of his own between a queue and itself meant to retry, and counts in the consumer, which no
 * topology shows: that is an assumption. Rounds without a wait are nobody's plan.
 */
export function countsByItself(graph: TopologyGraph, cycle: readonly string[]): boolean {
  const isPlain = cycle.every((name) => graph.flow(name)?.deadLetterQueue === undefined)
  return isPlain && cycle.some((name) => graph.queue(name)?.role === 'wait')
}

function queueNames(graph: TopologyGraph): readonly string[] {
  return graph.topology.queues.map(({ name }) => name)
}

function hopsBy(
  graph: TopologyGraph,
  queue: string,
  isPossible: (reason: DeathReason) => boolean,
): readonly string[] {
  const { deadLetter, deathReasons } = graph.settings(queue)
  if (deadLetter === undefined || !deathReasons.some(isPossible)) return []
  return graph.hopQueues(queue)
}

/** The queues that a finding is told of: those with a consumer, or else the first. */
function spokesmen(graph: TopologyGraph, loop: readonly string[]): readonly string[] {
  const consumed = loop.filter((name) => graph.queue(name)?.role === 'work')
  return consumed.length > 0 ? consumed : loop.slice(0, 1)
}

function cyclePath({ graph, cycle, isPossible }: CycleToShow): readonly string[] {
  const steps = cycle.flatMap((name, index) => {
    const { deadLetter, deathReasons } = graph.settings(name)
    // The first step shows what starts it; a queue on the way is left by what it is there for.
    const reason = index === 0 ? deathReasons.find(isPossible) : deathReasons.findLast(isPossible)
    return [name, reason ?? 'rejected', addressStep(deadLetter?.exchange ?? '', deadLetter?.key)]
  })
  return [...steps, cycle[0] ?? '']
}

interface CycleToShow {
  readonly graph: TopologyGraph
  readonly cycle: readonly string[]
  readonly isPossible: (reason: DeathReason) => boolean
}
