import type { CompiledQueue } from '../compiled-topology.ts'
import { addressStep, type BrokenProperty, expiryStep, unusedStep } from './finding.ts'
import { allAtBothEnds, hopLosses, type LossByEnd } from './node-ends.ts'
import type { QueueSettings } from './queue-settings.ts'
import type { TopologyGraph } from './topology-graph.ts'

/** Nothing disappears without a trace: each hop waits for its target, and no limit deletes. */
export function* proveNoSilentLoss(graph: TopologyGraph): Generator<Broken> {
  for (const queue of graph.topology.queues) {
    // Most queues are all right in most ways, and a look is cheaper than a proof.
    const settings = graph.settings(queue.name)
    if (settings.deadLetter?.isAtLeastOnce === false) yield* proveHop(graph, queue)
    if (queue.type === 'stream') yield* proveRetention(queue)
    // Of a dead-letter queue its own property says this, with advice that is good there.
    else if (queue.role !== 'dead-letter' && hasLimit(settings)) yield* proveLimits(graph, queue)
    if (!queue.durable || queue.autoDelete) yield* proveStays(queue)
  }
  for (const exchange of graph.topology.exchanges) {
    if (!exchange.durable || exchange.autoDelete) yield* proveExchangeStays(exchange)
  }
}

function hasLimit(settings: QueueSettings): boolean {
  const { expiresMs, ttlMs, hasExpirations, hasLengthLimit, deliveryLimit, deadLetter } = settings
  if (expiresMs !== undefined) return true
  const isLimited = ttlMs !== undefined || hasExpirations || hasLengthLimit || deliveryLimit !== undefined
  return deadLetter === undefined && isLimited
}

type Broken = BrokenProperty<'no-silent-loss'>

function* proveHop(graph: TopologyGraph, { name, type }: CompiledQueue): Generator<Broken> {
  const { deadLetter, deathReasons } = graph.settings(name)
  const reason = deathReasons.at(-1)
  if (deadLetter === undefined || deadLetter.isAtLeastOnce || reason === undefined) return
  const targets = graph.hopTargets(name)
  const quorumTarget = targets.find(({ queue }) => graph.queue(queue)?.type === 'quorum')
  const step = [name, reason, addressStep(deadLetter.exchange, deadLetter.key)]
  const losesAt = hopLosses({
    isAtLeastOnce: false,
    targets: targets.map(({ queue }) => graph.queue(queue)?.type),
  })
  const wayOut = hopWayOut(graph, name)
  if (type === 'classic' && quorumTarget !== undefined) {
    yield {
      code: 'classic-to-quorum-hop',
      queue: name,
      wayOut,
      losesAt,
      path: [...step, quorumTarget.queue],
      problem:
        'A classic queue does not wait for a quorum queue: 500 of 500 messages that came due during a restart were lost, after a clean stop and after a crash alike.',
    }
  } else {
    yield {
      code: 'at-most-once-hop',
      queue: name,
      wayOut,
      losesAt,
      path: [...step, targets[0]?.queue ?? 'no queue'],
      problem: atMostOnce(type, losesAt),
    }
  }
  for (const { queue } of targets) yield* proveTargetTakes(graph, { step, from: name, to: queue })
}

function hopWayOut(graph: TopologyGraph, queue: string): string {
  const isSwitchedOff =
    graph.queue(queue)?.arguments['x-dead-letter-strategy'] === 'at-least-once' &&
    graph.setBy(queue, 'x-overflow') !== undefined
  if (isSwitchedOff) return `${graph.removal(queue, 'x-overflow')}: it switches at-least-once off.`
  return 'Use quorum queues with x-dead-letter-strategy: at-least-once and x-overflow: reject-publish; on an existing quorum queue, a policy can set both.'
}

function atMostOnce(type: CompiledQueue['type'], { stop }: LossByEnd): string {
  if (stop === 'due-meanwhile') {
    return 'The hop does not wait for its target: messages that come due while the broker restarts, or elects a leader, are lost, after a clean stop and after a crash (kill -9) alike.'
  }
  const otherwise =
    type === 'classic'
      ? 'a target on a node that is down, or an exchange that is gone'
      : 'an exchange that is gone'
  return `The hop does not wait for its target: messages in transit when a node goes down are lost, in a clean stop and in a crash (kill -9) alike; messages waiting in the queue stay. Messages that meet ${otherwise} are lost, too.`
}

function* proveTargetTakes(graph: TopologyGraph, { step, from, to }: HopTo): Generator<Broken> {
  const { hasLengthLimit, overflow } = graph.settings(to)
  if (graph.queue(to)?.type !== 'classic' || !hasLengthLimit || overflow === 'drop-head') return
  yield {
    code: 'full-target-drops',
    queue: from,
    path: [...step, to, 'full'],
    problem: `A full classic queue refuses dead letters, and an at-most-once hop does not notice.`,
    wayOut: `Remove the length limit from "${to}".`,
  }
}

interface HopTo {
  readonly step: readonly string[]
  readonly from: string
  readonly to: string
}

function* proveRetention({ name, arguments: args }: CompiledQueue): Generator<Broken> {
  for (const argument of ['x-max-age', 'x-max-length-bytes']) {
    if (args[argument] === undefined) continue
    yield {
      code: 'retention-deletes',
      queue: name,
      path: [name, `over ${argument} ${args[argument]}`, 'its oldest segments are deleted'],
      problem:
        'The stream deletes old messages, whether or not anybody has read them, and a stream has no dead-letter exchange.',
      wayOut: `Accept it, with the reason why every reader is done by then; without ${argument}, the disk fills up instead.`,
    }
  }
}

function* proveLimits(graph: TopologyGraph, { name, role, type }: CompiledQueue): Generator<Broken> {
  const { deadLetter, ttlMs, hasExpirations, expiresMs, hasLengthLimit, overflow, deliveryLimit } =
    graph.settings(name)
  if (expiresMs !== undefined) {
    yield {
      code: 'queue-expires',
      queue: name,
      path: [name, unusedStep(expiresMs), 'deleted with its messages'],
      problem:
        'x-expires deletes the queue with its messages, and nothing is dead-lettered; a queue without consumers counts as unused.',
      wayOut: `${graph.removal(name, 'x-expires')}.`,
    }
  }
  if (deadLetter !== undefined) return
  if (ttlMs !== undefined || hasExpirations) {
    yield {
      code: 'ttl-deletes',
      queue: name,
      path: [name, expiryStep(ttlMs), 'deleted'],
      problem: 'Messages expire and there is no dead-letter exchange to take them.',
      wayOut: `${ttlMs === undefined ? 'Publish without an expiration' : graph.removal(name, 'x-message-ttl')}, or set x-dead-letter-exchange.`,
    }
  }
  if (hasLengthLimit && overflow === 'drop-head') {
    yield {
      code: 'drop-head',
      queue: name,
      path: [name, 'full', 'the oldest message is deleted'],
      problem:
        'The length limit deletes the oldest messages, and there is no dead-letter exchange to take them.',
      wayOut:
        type === 'classic'
          ? 'Make it a quorum queue with x-overflow: reject-publish, so that the publisher finds out.'
          : 'Set x-overflow: reject-publish, so that the publisher finds out.',
    }
  }
  if (hasLengthLimit && overflow !== 'drop-head' && type === 'classic') {
    yield {
      code: 'restart-drops',
      queue: name,
      path: [name, 'over its limit', 'the broker restarts', 'the oldest messages are deleted'],
      problem:
        'When a broker starts, also after a clean stop, it deletes what a classic queue has above its length limit, whatever x-overflow says. Messages that consumers held come back above it.',
      wayOut: 'Make it a quorum queue, which keeps them, or remove the limit.',
    }
  }
  if (role === 'work' && deliveryLimit !== undefined) {
    yield {
      code: 'delivery-limit-drops',
      queue: name,
      path: [name, `returned more than ${deliveryLimit} times`, 'deleted'],
      problem:
        'A message over the delivery limit is deleted, because there is no dead-letter exchange to take it.',
      wayOut: 'Give the queue a dead-letter queue, or set x-delivery-limit: -1 (from RabbitMQ 4.0 on).',
    }
  }
}

function* proveStays({ name, type, durable, autoDelete }: CompiledQueue): Generator<Broken> {
  if (!durable && type === 'classic') {
    yield {
      code: 'not-durable',
      queue: name,
      losesAt: allAtBothEnds,
      path: [name, 'the broker restarts', 'gone with its messages'],
      problem: 'The queue is not durable.',
      wayOut: 'Declare it durable.',
    }
  }
  if (autoDelete) {
    yield {
      code: 'auto-delete',
      queue: name,
      path: [name, 'its last consumer leaves', 'deleted with its messages'],
      problem: 'The queue deletes itself with its last consumer.',
      wayOut: 'Remove autoDelete.',
    }
  }
}

function* proveExchangeStays(exchange: {
  name: string
  durable: boolean
  autoDelete: boolean
}): Generator<Broken> {
  const { name, durable, autoDelete } = exchange
  if (!durable) {
    yield {
      code: 'not-durable',
      queue: undefined,
      losesAt: allAtBothEnds,
      path: [`exchange ${name}`, 'the broker restarts', 'gone with its bindings'],
      problem: `Exchange "${name}" is not durable.`,
      wayOut: 'Declare it durable.',
    }
  }
  if (autoDelete) {
    yield {
      code: 'auto-delete',
      queue: undefined,
      path: [`exchange ${name}`, 'its last binding goes', 'deleted'],
      problem: `Exchange "${name}" deletes itself with its last binding.`,
      wayOut: 'Remove autoDelete.',
    }
  }
}
