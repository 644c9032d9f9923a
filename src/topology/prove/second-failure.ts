import type { ParkRule, PublishAddress, QueueFlow } from '../queue-flow.ts'
import { anyWord } from '../topic-trie.ts'
import { addressStep, type Finding } from './finding.ts'
import type { TopologyGraph } from './topology-graph.ts'

/** A message that was re-driven and fails again ends in the same dead-letter queue. */
export function* proveSecondFailure(graph: TopologyGraph): Generator<Finding> {
  for (const flow of graph.topology.flows) yield* proveFlow(graph, flow)
}

const property = 'second-failure' as const

function* proveFlow(graph: TopologyGraph, flow: QueueFlow): Generator<Finding> {
  const { queue, park, deadLetterQueue, redrive } = flow
  if (park === undefined || deadLetterQueue === undefined) {
    yield {
      ...{ property, code: 'no-dead-letter-queue', queue },
      path: [queue, 'fails', 'has nowhere to go'],
      problem: 'The queue has no dead-letter queue: a message that cannot be handled blocks it or is lost.',
      wayOut: 'Remove "deadLetter: false".',
    }
    return
  }
  const parked = parkedIn(graph, queue, park)
  if (!parked.includes(deadLetterQueue)) {
    yield {
      ...{ property, code: 'park-misses-dlq', queue },
      path: [deadLetterQueue, 're-driven', queue, 'fails again', parkStep(park), parked[0] ?? 'no queue'],
      problem: `A second failure does not reach "${deadLetterQueue}".`,
      wayOut:
        'Keep the exchange and the binding in front of the dead-letter queue as the layout declares them.',
    }
  }
  for (const target of [redrive.origin, redrive.retry]) {
    if (target !== undefined) yield* proveRedrive(graph, { flow, target })
  }
}

function parkedIn(graph: TopologyGraph, queue: string, park: ParkRule): readonly string[] {
  if (park.kind === 'reject') return graph.hopTargets(queue).map((target) => target.queue)
  return graph.routes.route({ exchange: park.exchange, key: park.key ?? anyWord }).map((route) => route.queue)
}

function parkStep(park: ParkRule): string {
  return park.kind === 'reject' ? 'rejected' : addressStep(park.exchange, park.key)
}

function* proveRedrive(
  graph: TopologyGraph,
  { flow, target }: { flow: QueueFlow; target: PublishAddress },
): Generator<Finding> {
  const { queue, deadLetterQueue, waitQueues } = flow
  const reached = graph.routes.route(target).map((route) => route.queue)
  const isRight = reached.length === 1 && [queue, ...waitQueues].includes(reached[0] ?? '')
  if (isRight) return
  yield {
    ...{ property, code: 'redrive-misses-queue', queue },
    path: [
      deadLetterQueue ?? queue,
      're-driven',
      addressStep(target.exchange, target.key),
      reached.join(', ') || 'no queue',
    ],
    problem: `A re-drive does not lead to "${queue}" alone.`,
    wayOut: 'Keep the bindings of the wait queue as the layout declares them.',
  }
}
