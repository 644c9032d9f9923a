import { type BrokerVersion, isAtLeast } from './broker-version.ts'

/** What a version of RabbitMQ does, where versions differ and a message can be lost by not knowing. */
export interface BrokerCapabilities {
  /** `x-delivery-limit: -1` means unlimited. Where it does not, it drops at the first return. */
  readonly supportsUnlimitedDeliveryLimit: boolean
  /** The limit of a quorum queue that sets none; undefined means no limit. */
  readonly defaultDeliveryLimit: number | undefined
  /** The HTTP API shows the effective `delivery_limit` of a quorum queue. */
  readonly reportsDeliveryLimit: boolean
  /** `basic.nack` with requeue moves a quorum queue's message towards its limit. */
  readonly countsNackTowardsLimit: boolean
  /** Deliveries carry `x-acquired-count`; `x-delivery-count` then counts failures only. */
  readonly hasAcquiredCount: boolean
  /**
   * What the delivery count does at a dead-letter hop: `dropped`, `shown` in the header of the next queue, or
   * `limiting`: the next quorum queue checks its own limit against it.
   */
  readonly deliveryCountAcrossHops: 'dropped' | 'shown' | 'limiting'
  /** An `x-death` that a client sent is continued. Where not, it stays visible but the next death starts at 1. */
  readonly trustsClientDeaths: boolean
  /** How far the order of `x-death` can be believed. */
  readonly deathOrder: 'newest-at-head' | 'unordered' | 'newest-first'
  /** Which history decides whether a dead letter goes round in a cycle and is dropped. */
  readonly cycleHistory: 'x-death-header' | 'unordered-map' | 'imported-list' | 'own-list'
  readonly hasLastDeathHeaders: boolean
  /** `dead-letter-strategy: at-least-once`, for quorum queues. */
  readonly hasAtLeastOnceDeadLettering: boolean
  /** Message TTL on quorum queues, which a quorum wait queue needs. */
  readonly hasQuorumMessageTtl: boolean
  /** A `CC` header survives a dead-letter hop with its own routing key and routes extra copies. */
  readonly keepsCcAfterDeadLettering: boolean
  /** At-most-once dead letters into a stream arrive. Where not, they are lost silently. */
  readonly deadLettersIntoStreams: boolean
  /** Purge also deletes dead letters that wait for their target. */
  readonly purgeDeletesPendingDeadLetters: boolean
  /** A quorum queue without a limit puts a returned message at its tail. */
  readonly returnsUnlimitedQuorumToTail: boolean
  /** What happens to an unacknowledged delivery that is held for too long. */
  readonly consumerTimeout: 'closes-channel' | 'cancels-quorum-consumer'
  readonly hasConsumerTimeoutPolicy: boolean
  /** Quorum queues delay returned messages by themselves (`x-delayed-retry-*`). */
  readonly hasNativeDelayedRetry: boolean
  readonly hasDelayedRetryPolicy: boolean
  /** `apply-to` of a policy accepts `quorum_queues`, `classic_queues` and `streams`. */
  readonly hasPolicyPerQueueType: boolean
  /** The HTTP API reports `x-queue-type` among the arguments even where the client sent none. */
  readonly addsQueueTypeArgument: boolean
  /** `GET /api/queues/detailed`. */
  readonly hasDetailedQueueList: boolean
  /** `GET /api/deprecated-features`. */
  readonly hasDeprecatedFeatureList: boolean
  readonly allowsGlobalPrefetch: boolean
  readonly hasMirroredQueues: boolean
  /** A confirm of a classic queue means synced to disk, not only written. */
  readonly syncsClassicConfirms: boolean
  /** The smallest frame_max that a client may ask for. */
  readonly frameMaxMinimumBytes: number
  /** `max_message_size` unless configured. */
  readonly maxMessageSizeDefaultBytes: number
}

/** The capabilities of a version. Asked per message, so the answer is kept with the version. */
export function brokerCapabilities(version: BrokerVersion): BrokerCapabilities {
  const capabilities = answered.get(version) ?? capabilitiesAt(version)
  answered.set(version, capabilities)
  return capabilities
}

const answered = new WeakMap<BrokerVersion, BrokerCapabilities>()

function capabilitiesAt(version: BrokerVersion): BrokerCapabilities {
  const names = Object.keys(changes) as (keyof BrokerCapabilities)[]
  return Object.fromEntries(names.map((name) => [name, valueAt<unknown>(changes[name], version)])) as never
}

/** The value before any change, then each release that changed it, oldest first. */
type Changes<Value> = readonly [Value, ...(readonly [since: string, value: Value])[]]

const since = (release: string): Changes<boolean> => [false, [release, true]]
const until = (release: string): Changes<boolean> => [true, [release, false]]
const mebibyte = 1024 * 1024

const changes: { readonly [Name in keyof BrokerCapabilities]: Changes<BrokerCapabilities[Name]> } = {
  supportsUnlimitedDeliveryLimit: since('4.0.0'),
  defaultDeliveryLimit: [undefined, ['4.0.0', 20]],
  reportsDeliveryLimit: since('4.0.0'),
  countsNackTowardsLimit: until('4.3.0'),
  hasAcquiredCount: since('4.3.0'),
  deliveryCountAcrossHops: ['dropped', ['4.0.0', 'shown'], ['4.3.0', 'limiting']],
  trustsClientDeaths: [true, ['3.13.0', false], ['3.13.3', true], ['4.0.0', false]],
  deathOrder: ['newest-at-head', ['3.13.0', 'unordered'], ['3.13.3', 'newest-first']],
  cycleHistory: [
    'x-death-header',
    ['3.13.0', 'unordered-map'],
    ['3.13.3', 'imported-list'],
    ['4.0.0', 'own-list'],
  ],
  hasLastDeathHeaders: since('3.13.0'),
  hasAtLeastOnceDeadLettering: since('3.10.0'),
  hasQuorumMessageTtl: since('3.10.0'),
  keepsCcAfterDeadLettering: since('4.0.0'),
  deadLettersIntoStreams: since('3.12.0'),
  purgeDeletesPendingDeadLetters: since('4.3.0'),
  returnsUnlimitedQuorumToTail: until('4.3.0'),
  consumerTimeout: ['closes-channel', ['4.3.0', 'cancels-quorum-consumer']],
  hasConsumerTimeoutPolicy: since('3.12.0'),
  hasNativeDelayedRetry: since('4.3.0'),
  hasDelayedRetryPolicy: since('4.3.1'),
  hasPolicyPerQueueType: since('3.12.0'),
  addsQueueTypeArgument: since('4.0.0'),
  hasDetailedQueueList: since('3.13.0'),
  hasDeprecatedFeatureList: since('3.13.0'),
  allowsGlobalPrefetch: until('4.3.0'),
  hasMirroredQueues: until('4.0.0'),
  syncsClassicConfirms: until('3.13.0'),
  frameMaxMinimumBytes: [4096, ['4.1.0', 8192]],
  maxMessageSizeDefaultBytes: [128 * mebibyte, ['4.0.0', 16 * mebibyte]],
}

function valueAt<Value>([first, ...later]: Changes<Value>, version: BrokerVersion): Value {
  const reached = later.findLast(([release]) => isAtLeast(version, release))
  return reached === undefined ? first : reached[1]
}
