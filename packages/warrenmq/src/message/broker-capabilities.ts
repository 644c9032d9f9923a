import { type BrokerVersion, isAtLeast } from './broker-version.ts'

/** What a version of RabbitMQ does, where versions differ and a message can be lost by not knowing. */
export interface BrokerCapabilities {
  /** `x-delivery-limit: -1` means unlimited. If not, the broker drops a message at its first return. */
  readonly supportsUnlimitedDeliveryLimit: boolean
  /** The limit of a quorum queue that sets none; undefined means no limit. */
  readonly defaultDeliveryLimit: number | undefined
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
  /** Which history decides whether a dead letter goes round in a cycle and is dropped. */
  readonly cycleHistory: 'x-death-header' | 'unordered-map' | 'imported-list' | 'own-list'
  /** `dead-letter-strategy: at-least-once`, for quorum queues. */
  readonly hasAtLeastOnceDeadLettering: boolean
  /** What happens to an unacknowledged delivery that is held for too long. */
  readonly consumerTimeout: 'closes-channel' | 'cancels-quorum-consumer'
  /** A policy or an argument of a queue can set the consumer timeout. */
  readonly hasConsumerTimeoutPolicy: boolean
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
  countsNackTowardsLimit: until('4.3.0'),
  hasAcquiredCount: since('4.3.0'),
  deliveryCountAcrossHops: ['dropped', ['4.0.0', 'shown'], ['4.3.0', 'limiting']],
  trustsClientDeaths: [true, ['3.13.0', false], ['3.13.3', true], ['4.0.0', false]],
  cycleHistory: [
    'x-death-header',
    ['3.13.0', 'unordered-map'],
    ['3.13.3', 'imported-list'],
    ['4.0.0', 'own-list'],
  ],
  hasAtLeastOnceDeadLettering: since('3.10.0'),
  consumerTimeout: ['closes-channel', ['4.3.0', 'cancels-quorum-consumer']],
  hasConsumerTimeoutPolicy: since('3.12.0'),
  maxMessageSizeDefaultBytes: [128 * mebibyte, ['4.0.0', 16 * mebibyte]],
}

function valueAt<Value>([first, ...later]: Changes<Value>, version: BrokerVersion): Value {
  const reached = later.findLast(([release]) => isAtLeast(version, release))
  return reached === undefined ? first : reached[1]
}
