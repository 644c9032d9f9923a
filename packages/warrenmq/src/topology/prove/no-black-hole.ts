import { anyWord } from '../../message/topic-trie.ts'
import type { QueueFlow } from '../queue-flow.ts'
import { addressStep, type BrokenProperty } from './finding.ts'
import { proveMessages } from './prove-messages.ts'
import type { DeadLetterHop } from './queue-settings.ts'
import type { TopologyGraph } from './topology-graph.ts'

/** Every declared publication and every dead-letter hop reaches a queue. */
export function* proveNoBlackHole(graph: TopologyGraph): Generator<Broken> {
  yield* provePublications(graph)
  yield* proveMessages(graph)
  for (const flow of graph.topology.flows) yield* proveFlow(graph, flow)
  for (const { name } of graph.topology.queues) if (!isHopRouted(graph, name)) yield* proveHop(graph, name)
}

type Broken = BrokenProperty<'no-black-hole'>
const nowhere = 'no queue'

function* provePublications({ topology, routes }: TopologyGraph): Generator<Broken> {
  for (const publication of topology.publications) {
    const { exchange, key = '' } = publication
    if (routes.route({ ...publication, key }).length > 0) continue
    yield {
      code: 'publication-unrouted',
      queue: undefined,
      path: ['publish', addressStep(exchange, key), nowhere],
      problem: 'A publication reaches no queue; the broker drops it and still confirms it.',
      wayOut: 'Bind a queue to it, or give the exchange an alternateExchange.',
    }
  }
}

function* proveFlow({ routes }: TopologyGraph, { queue, retry, park }: QueueFlow): Generator<Broken> {
  const tiers = retry?.kind === 'publish' ? retry.tiers : []
  for (const { exchange, key } of tiers) {
    if (routes.route({ exchange, key }).length > 0) continue
    yield {
      code: 'retry-unrouted',
      queue,
      path: [queue, 'retry', addressStep(exchange, key), nowhere],
      problem: 'A retry is published where no wait queue receives it.',
      wayOut: 'Keep the wait queue and its binding as the layout declares them.',
    }
  }
  if (park?.kind !== 'publish') return
  if (routes.route({ exchange: park.exchange, key: park.key ?? anyWord }).length > 0) return
  yield {
    code: 'park-unrouted',
    queue,
    path: [queue, 'park', addressStep(park.exchange, park.key), nowhere],
    problem: 'A message that has failed for good reaches no dead-letter queue.',
    wayOut: 'Keep the dead-letter queue and its binding as the layout declares them.',
  }
}

// The usual case, looked at before anything else because there may be many thousand.
function isHopRouted(graph: TopologyGraph, queue: string): boolean {
  const { deadLetter, deathReasons } = graph.settings(queue)
  if (deadLetter === undefined || deathReasons.length === 0) return true
  return isOneKey(deadLetter) && graph.hopTargets(queue).length > 0
}

/** Without a pattern in it, or a key of the message's own, there is one way to go. */
function isOneKey({ key }: DeadLetterHop): boolean {
  return key !== undefined && !/[*#]/.test(key)
}

function* proveHop(graph: TopologyGraph, queue: string): Generator<Broken> {
  const { deadLetter, deathReasons } = graph.settings(queue)
  const reason = deathReasons[0]
  if (deadLetter === undefined || reason === undefined) return
  const { exchange, isAtLeastOnce } = deadLetter
  const fate = isAtLeastOnce
    ? 'stays in the queue, unseen, and after 32 of them nothing moves any more'
    : 'is dropped'
  if (!graph.routes.hasExchange(exchange)) {
    yield {
      code: 'dead-letter-exchange-missing',
      queue,
      path: [queue, reason, addressStep(exchange, undefined), 'does not exist'],
      problem: `The dead-letter exchange is not declared, so a dead letter ${fate}.`,
      wayOut: `Declare exchange "${exchange}" and bind a queue to it.`,
    }
    return
  }
  const lost = graph.hopKeys(queue).find((key) => graph.routes.route({ exchange, key }).length === 0)
  if (lost === undefined) return
  yield {
    code: 'dead-letter-unrouted',
    queue,
    path: [queue, reason, addressStep(exchange, lost), nowhere],
    problem: `A dead letter with this key reaches no queue, so it ${fate}.`,
    wayOut:
      'Set x-dead-letter-routing-key to a key that is bound, or make the dead-letter exchange a fanout.',
  }
}
