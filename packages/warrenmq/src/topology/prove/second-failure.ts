import { anyWord } from '../../message/topic-trie.ts'
import type { ParkRule, PublishAddress, QueueFlow } from '../queue-flow.ts'
import { addressStep, type BrokenProperty } from './finding.ts'
import type { TopologyGraph } from './topology-graph.ts'

/** A message that was re-driven and fails again ends in the same dead-letter queue. */
export function* proveSecondFailure(graph: TopologyGraph): Generator<Broken> {
  for (const flow of graph.topology.flows) {
    // In a queue that nobody consumes nothing fails.
    if (graph.queue(flow.queue)?.role === 'work') yield* proveFlow(graph, flow)
  }
}

type Broken = BrokenProperty<'second-failure'>

function* proveFlow(graph: TopologyGraph, flow: QueueFlow): Generator<Broken> {
  const { queue, park, deadLetterQueue, redrive } = flow
  if (park === undefined || deadLetterQueue === undefined) {
    yield* provePlain(graph, queue)
    return
  }
  const parked = parkedIn(graph, queue, park)
  if (!parked.includes(deadLetterQueue)) {
    yield {
      code: 'park-misses-dlq',
      queue,
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

/** A queue without a layout: its own dead-letter exchange, or a dead-letter queue that it publishes to, has to be there. */
function* provePlain(graph: TopologyGraph, queue: string): Generator<Broken> {
  const roleOf = (name: string) => graph.queue(name)?.role
  const hasOwn = graph.topology.queues.some(
    ({ role, owner, name }) => role === 'dead-letter' && owner === queue && name !== queue,
  )
  if (hasOwn) return
  const targets = graph.hopQueues(queue)
  if (targets.some((target) => target !== queue && roleOf(target) !== 'wait')) return
  const loops = targets.length > 0
  // Where the dead-letter exchange leads nowhere, another property is broken.
  if (!loops && graph.settings(queue).deadLetter !== undefined) return
  yield {
    code: 'no-dead-letter-queue',
    queue,
    path: [
      queue,
      'fails',
      ...(loops ? [targets[0] ?? '', 'comes back', 'fails for good'] : []),
      'has nowhere to go',
    ],
    problem: loops
      ? 'Failed messages wait and come back, and there is no dead-letter queue for those that fail for good.'
      : 'The queue has no dead-letter queue: a message that cannot be handled blocks it or is lost.',
    wayOut:
      'Give it a dead-letter queue: on an existing queue with a policy that sets dead-letter-exchange, on a new one by removing "deadLetter: false".',
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
): Generator<Broken> {
  const { queue, deadLetterQueue, waitQueues } = flow
  const reached = graph.routes.route(target).map((route) => route.queue)
  const isRight = reached.length === 1 && [queue, ...waitQueues].includes(reached[0] ?? '')
  if (isRight) return
  yield {
    code: 'redrive-misses-queue',
    queue,
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
