import type { BrokerCapabilities } from '../../message/broker-capabilities.ts'
import type { CompiledQueue } from '../compiled-topology.ts'

/** What a queue's arguments come to on one broker version. */
export interface QueueSettings {
  readonly deadLetter: DeadLetterHop | undefined
  readonly ttlMs: number | undefined
  /** Some producer gives its messages an `expiration`, which counts in the first queue that they reach. */
  readonly hasExpirations: boolean
  readonly expiresMs: number | undefined
  readonly hasLengthLimit: boolean
  readonly overflow: string
  /** Returns that a message survives; undefined means any number. */
  readonly deliveryLimit: number | undefined
  /** Why the broker may take a message out of the queue and dead-letter it. */
  readonly deathReasons: readonly DeathReason[]
}

export interface DeadLetterHop {
  readonly exchange: string
  /** Undefined: the message keeps its own key. */
  readonly key: string | undefined
  readonly isAtLeastOnce: boolean
}

/** `rejected` needs a consumer's decision; the others happen by themselves. */
export type DeathReason = 'rejected' | 'expired' | 'maxlen' | 'delivery_limit'

export function queueSettings({ queue, capabilities, hasExpirations }: QueueInGraph): QueueSettings {
  const { arguments: args } = queue
  const hasLengthLimit = args['x-max-length'] !== undefined || args['x-max-length-bytes'] !== undefined
  const ttlMs = numberOf(args['x-message-ttl'])
  const overflow = overflowOf(queue)
  const limit = deliveryLimit(queue, capabilities)
  return {
    deadLetter: deadLetterHop(queue, capabilities),
    ttlMs,
    hasExpirations,
    expiresMs: numberOf(args['x-expires']),
    hasLengthLimit,
    overflow,
    deliveryLimit: limit,
    deathReasons: deathReasons({
      canBeRejected: queue.role === 'work',
      canExpire: ttlMs !== undefined || hasExpirations,
      canOverflow: hasLengthLimit && overflow !== 'reject-publish',
      canBeReturnedTooOften: queue.role === 'work' && limit !== undefined,
    }),
  }
}

interface QueueInGraph {
  readonly queue: CompiledQueue
  readonly capabilities: BrokerCapabilities
  readonly hasExpirations: boolean
}

// A quorum queue accepts reject-publish-dlx and does what it does without: it drops the oldest.
function overflowOf({ type, arguments: args }: CompiledQueue): string {
  const overflow = textOf(args['x-overflow']) ?? 'drop-head'
  return type === 'quorum' && overflow === 'reject-publish-dlx' ? 'drop-head' : overflow
}

function deadLetterHop(
  { type, arguments: args }: CompiledQueue,
  capabilities: BrokerCapabilities,
): DeadLetterHop | undefined {
  const exchange = textOf(args['x-dead-letter-exchange'])
  if (exchange === undefined || type === 'stream') return undefined
  // Short of any one of these RabbitMQ falls back to at most once and says so in its log only.
  const isAtLeastOnce =
    type === 'quorum' &&
    capabilities.hasAtLeastOnceDeadLettering &&
    args['x-dead-letter-strategy'] === 'at-least-once' &&
    args['x-overflow'] === 'reject-publish'
  return { exchange, key: textOf(args['x-dead-letter-routing-key']), isAtLeastOnce }
}

function deliveryLimit(
  { type, arguments: args }: CompiledQueue,
  capabilities: BrokerCapabilities,
): number | undefined {
  if (type !== 'quorum') return undefined
  const limit = numberOf(args['x-delivery-limit'])
  if (limit === undefined) return capabilities.defaultDeliveryLimit
  if (limit >= 0) return limit
  // Before 4.0 a negative limit is exceeded by the first return.
  return capabilities.supportsUnlimitedDeliveryLimit ? undefined : 0
}

interface WaysToDie {
  readonly canBeRejected: boolean
  readonly canExpire: boolean
  readonly canOverflow: boolean
  readonly canBeReturnedTooOften: boolean
}

function deathReasons(ways: WaysToDie): readonly DeathReason[] {
  const reasons: DeathReason[] = []
  if (ways.canBeRejected) reasons.push('rejected')
  if (ways.canExpire) reasons.push('expired')
  if (ways.canOverflow) reasons.push('maxlen')
  if (ways.canBeReturnedTooOften) reasons.push('delivery_limit')
  return reasons
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
