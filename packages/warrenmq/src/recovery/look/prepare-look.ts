import type { Delivery } from '../../broker/amqp/delivery.ts'
import type { Broker } from '../../broker/broker.ts'
import { isManagementAbsent, RecoveryError } from '../../errors.ts'
import { brokerCapabilities } from '../../message/broker-capabilities.ts'
import { type BrokerVersion, parseBrokerVersion } from '../../message/broker-version.ts'
import type { EncodedMessage } from '../../publisher/outgoing-message.ts'
import type { FieldTable } from '../../wire/field-value.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import { readProperty } from '../../wire/properties.ts'
import { refreshedProperties } from '../put-back/properties-writer.ts'
import { decideLook, mayReturn, type QueueFacts, type ReturnQuestion, returnDeletes } from './decide-look.ts'
import { observeQueue } from './observe-queue.ts'
import { OverLimitQueue } from './over-limit-queue.ts'
import { countConsumers } from './settled-depth.ts'

/** How messages of one queue are held and given back without losing one. */
export interface LookRules {
  /** False: giving it back would delete it, now or soon. */
  mayReturn(delivery: Delivery): boolean
  /** Giving it back deletes it, now. */
  returnDeletes(delivery: Delivery): boolean
  /** The same message for the end of its own queue. */
  encodeRefreshed(delivery: Delivery): EncodedMessage
  /** Where a message goes that can neither be given back nor copied. */
  readonly overLimitQueue: OverLimitQueue
  /** What goes back is behind what came back before, and not where it was. */
  readonly returnsBehind: boolean
  /** The queue counts into a message how often it took it back. True of quorum queues. */
  readonly countsReturns: boolean
  /** A message survives this many returns; undefined: any number. */
  readonly returnLimit: number | undefined
  /** Messages are given back before RabbitMQ takes them. */
  readonly maxHoldMs: number
  /** What a consumer asks for, so that it is given so long; a broker that does not know it would refuse it. */
  readonly consumerArguments: FieldTable
  /** Of a body, as far as the broker knows. */
  readonly averageBytes: number | undefined
}

/** Without management, which tells the limit of a queue, that queue is refused unless `acceptDeliveryLimit` is set. */
export interface LookPermission extends Broker {
  /**
   * The queue to take from.
   * @example { queue: 'orders.dlq' }
   */
  readonly queue: string
  /**
   * Take messages although the queue has a delivery limit, or may have one: RabbitMQ deletes a message that is already
   * at the limit if the connection breaks while it is held. @default false
   * @example { acceptDeliveryLimit: true }
   */
  readonly acceptDeliveryLimit?: boolean | undefined
  /**
   * How long messages are held at most, in milliseconds; then they go back. For a broker whose `consumer_timeout` is
   * not the usual 30 minutes, because a client cannot ask for it. @default 1500000, less if the queue says so
   * @example { maxHoldMs: 300_000 }
   */
  readonly maxHoldMs?: number | undefined
  /**
   * What the broker sends ahead should come within this time, in milliseconds, however slow the connection is: it has to
   * come before a look can end. @default any time, which takes the fewest steps
   * @example { mostAheadMs: 2_000 }
   */
  readonly mostAheadMs?: number | undefined
  /**
   * When all messages go back, whatever was held so far, on the clock of `performance.now()`. @default never
   * @example { endAtMs: performance.now() + 60_000 }
   */
  readonly endAtMs?: number | undefined
}

/** RabbitMQ's own limit is 30 minutes unless it is configured. */
const defaultHoldMs = 25 * 60_000
/** No timer of Node lasts longer. */
const longestHoldMs = 2 ** 31 - 1
/** So much of the time that a broker gives is used. */
const holdShare = 0.8

/** Reads the queue, and refuses it before the first delivery if holding a message could lose it. */
export async function prepareLook(permission: LookPermission): Promise<LookRules> {
  const { consuming, publishing, management, queue, acceptDeliveryLimit: acceptsLimit } = permission
  const { maxHoldMs = defaultHoldMs } = permission
  const { vhost } = consuming
  const version = parseBrokerVersion(consuming.broker.version)
  const observed = await observeQueue(management, { vhost, queue, version }).catch((error) => {
    // If the limit is accepted, nobody has to check it.
    if (!acceptsLimit || !isManagementAbsent(error)) throw error
    return observeQueue(undefined, { vhost, queue, version })
  })
  const { facts, consumerTimeoutMs, isSingleActive, averageBytes } = observed
  const isServedElsewhere = isSingleActive && (await countConsumers(consuming, queue)) > 0
  const cost = decideLook({ facts: { ...facts, isServedElsewhere }, version, acceptsLimit })
  if (cost.kind === 'refused') {
    throw new RecoveryError({
      code: 'RECOVERY_LOOK_REFUSED',
      message: `The queue "${queue}" was left alone. ${cost.problem}`,
    })
  }
  const timeoutMs = consumerTimeoutMs ?? Number.POSITIVE_INFINITY
  const holdMs = Math.min(longestHoldMs, maxHoldMs, timeoutMs * holdShare)
  const login = publishing.connection?.endpoint.username
  const ask = ({ properties }: Delivery): ReturnQuestion => {
    return { headers: readProperty(properties, 'headers'), cost, version }
  }
  return {
    mayReturn: cost.kind === 'free' ? () => true : (delivery) => mayReturn(ask(delivery)),
    returnDeletes: (delivery) => returnDeletes(ask(delivery)),
    overLimitQueue: new OverLimitQueue({ session: publishing, queue, version }),
    encodeRefreshed: ({ properties, body }) => ({
      exchange: '',
      key: queue,
      body,
      properties: refreshedProperties(properties, login),
    }),
    // Of a single active consumer the next one is served when the one before has ended, as it is done there.
    returnLimit: cost.kind === 'counted' ? cost.limit : undefined,
    returnsBehind: facts.type !== 'classic' || isSingleActive,
    countsReturns: facts.type === 'quorum',
    maxHoldMs: holdMs,
    consumerArguments: argumentsFor({ holdMs, type: facts.type, version }),
    averageBytes,
  }
}

/** A time that is shorter than it takes to give back what was held is of no use. */
const leastTimeoutMs = 60_000

/** From 4.3 on a consumer of a quorum queue says itself how long it may hold, whatever the broker's configuration. */
function argumentsFor(fields: {
  holdMs: number
  type: QueueFacts['type']
  version: BrokerVersion
}): FieldTable {
  const { consumerTimeout } = brokerCapabilities(fields.version)
  if (fields.type !== 'quorum' || consumerTimeout !== 'cancels-quorum-consumer') return []
  const timeoutMs = Math.max(leastTimeoutMs, Math.ceil(fields.holdMs / holdShare))
  return toFieldTable({ 'x-consumer-timeout': timeoutMs })
}
