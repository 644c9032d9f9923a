import type { BrokerCapabilities } from '../../message/broker-capabilities.ts'
import type { CompiledQueue } from '../compiled-topology.ts'
import { addressStep, type BrokenProperty, expiryStep, unusedStep } from './finding.ts'
import type { TopologyGraph } from './topology-graph.ts'

/** A dead-letter queue holds its messages until a person decides, however often they are looked at. */
export function* proveDlqKeeps(graph: TopologyGraph): Generator<Broken> {
  for (const queue of graph.topology.queues) {
    if (queue.role === 'dead-letter') yield* proveQueue(graph, queue)
  }
}

type Broken = BrokenProperty<'dlq-keeps'>

function* proveQueue(graph: TopologyGraph, queue: CompiledQueue): Generator<Broken> {
  const { name, durable, autoDelete } = queue
  const { deadLetter, ttlMs, hasExpirations, expiresMs, hasLengthLimit, overflow } = graph.settings(name)
  const broken = (code: DlqCode, path: readonly string[], wayOut: string): Broken => ({
    code,
    queue: name,
    path: [name, ...path],
    wayOut,
    problem: 'The dead-letter queue does not keep what was parked in it.',
  })
  if (ttlMs !== undefined || hasExpirations) {
    const wayOut =
      ttlMs === undefined
        ? 'Publish there without an expiration.'
        : `${graph.removal(name, 'x-message-ttl')}.`
    yield broken('ttl', [expiryStep(ttlMs), 'gone'], wayOut)
  }
  if (expiresMs !== undefined) {
    yield broken(
      'queue-expires',
      [unusedStep(expiresMs), 'deleted with its messages'],
      `${graph.removal(name, 'x-expires')}.`,
    )
  }
  if (hasLengthLimit && overflow === 'drop-head') {
    yield broken(
      'drop-head',
      ['full', 'the oldest is deleted'],
      `${lengthRemoval(graph, queue)}, and alert on the depth.`,
    )
  }
  if (hasLengthLimit && overflow !== 'drop-head' && queue.type === 'classic') {
    yield broken(
      'restart-drops',
      ['over its limit', 'the broker restarts', 'the oldest are deleted'],
      `${lengthRemoval(graph, queue)}, and alert on the depth.`,
    )
  }
  if (!durable) yield broken('not-durable', ['the broker restarts', 'gone'], 'Declare it durable.')
  if (autoDelete) yield broken('auto-delete', ['its last consumer leaves', 'deleted'], 'Remove autoDelete.')
  if (deadLetter !== undefined) {
    yield broken(
      'dead-letters-on',
      ['rejected', addressStep(deadLetter.exchange, deadLetter.key)],
      `${graph.removal(name, 'x-dead-letter-exchange')}.`,
    )
  }
  yield* proveLimit(graph, queue)
}

function lengthRemoval(graph: TopologyGraph, { name, arguments: args }: CompiledQueue): string {
  const limit = args['x-max-length'] === undefined ? 'x-max-length-bytes' : 'x-max-length'
  return graph.removal(name, limit)
}

type DlqCode = Broken['code']

function* proveLimit(
  { settings, capabilities, setBy }: TopologyGraph,
  { name, arguments: args }: CompiledQueue,
): Generator<Broken> {
  const { deliveryLimit } = settings(name)
  if (deliveryLimit === undefined) return
  const isMisread = typeof args['x-delivery-limit'] === 'number' && args['x-delivery-limit'] < 0
  const carried = 'On 4.3, a message that arrives over the limit is deleted at its first return.'
  yield {
    code: 'delivery-limit',
    queue: name,
    path: [name, isMisread ? 'looked at once' : `looked at ${deliveryLimit + 1} times`, 'deleted'],
    problem:
      `Each look that returns a message counts, and a message over the limit of ${deliveryLimit} is deleted. ${
        capabilities.deliveryCountAcrossHops === 'limiting' ? carried : ''
      }`.trim(),
    wayOut: limitWayOut(capabilities, setBy(name, 'x-delivery-limit')),
  }
}

function limitWayOut(
  { supportsUnlimitedDeliveryLimit }: BrokerCapabilities,
  policies: string | undefined,
): string {
  if (policies !== undefined)
    return `Remove delivery-limit from ${policies}${supportsUnlimitedDeliveryLimit ? ', or set it to -1 there' : ''}.`
  return supportsUnlimitedDeliveryLimit
    ? 'Set x-delivery-limit: -1, or on an existing queue without that argument a policy with delivery-limit: -1.'
    : 'Remove x-delivery-limit: before RabbitMQ 4.0 a queue without it has no limit.'
}
