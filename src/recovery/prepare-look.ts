import type { Delivery } from '../broker/amqp/delivery.ts'
import type { Session } from '../broker/amqp/session.ts'
import type { Management } from '../broker/management/open-management.ts'
import { RecoveryError, type WarrenError } from '../errors.ts'
import { parseBrokerVersion } from '../message/broker-version.ts'
import type { EncodedMessage } from '../publisher/outgoing-message.ts'
import { readProperty } from '../wire/properties.ts'
import { countConsumers } from './count-queue.ts'
import { decideLook, mayReturn, type ReturnQuestion, returnDeletes } from './decide-look.ts'
import { observeQueue } from './observe-queue.ts'
import { OverLimitQueue } from './over-limit-queue.ts'
import { refreshedProperties } from './redrive-properties.ts'

/** How messages of one queue are held and given back without losing one. */
export interface LookRules {
  /** False: giving it back would delete it, now or soon. */
  mayReturn(delivery: Delivery): boolean
  /** Giving it back deletes it, now. */
  returnDeletes(delivery: Delivery): boolean
  /** The same message for the end of its own queue. */
  encodeRefreshed(delivery: Delivery): EncodedMessage
  /** Where a message goes that can neither be given back nor copied. */
  readonly aside: OverLimitQueue
  /** What goes back stands behind what came back before, and not where it was. */
  readonly returnsBehind: boolean
  /** So many returns a message survives; undefined: any number. */
  readonly returnLimit: number | undefined
  /** Messages are given back before RabbitMQ takes them. */
  readonly maxHoldMs: number
}

export interface LookPermission {
  readonly consuming: Session
  readonly publishing: Session
  /** Tells type and limit of the queue. Without it a queue is refused, unless `acceptDeliveryLimit` is said. */
  readonly management?: Management | undefined
  readonly queue: string
  /**
   * Take messages although the queue has a delivery limit (or nobody can tell): a message that is at the limit
   * already is deleted by RabbitMQ if the connection breaks while it is held. @default false
   */
  readonly acceptDeliveryLimit?: boolean | undefined
}

/** RabbitMQ's own limit is 30 minutes unless it is configured. */
const longestHoldMs = 25 * 60_000

/** Reads the queue and refuses it before the first delivery, where holding a message could lose it. */
export async function prepareLook(permission: LookPermission): Promise<LookRules> {
  const { consuming, publishing, management, queue, acceptDeliveryLimit: acceptsLimit } = permission
  const { vhost } = consuming
  const version = parseBrokerVersion(consuming.broker.version)
  const { facts, consumerTimeoutMs, isSingleActive } = await observeQueue(management, { vhost, queue }).catch(
    (error) => {
      // Who accepts a limit needs nobody to tell it.
      if (!acceptsLimit || (error as WarrenError).code !== 'MANAGEMENT_UNREACHABLE') throw error
      return observeQueue(undefined, { vhost, queue })
    },
  )
  const isServedElsewhere = isSingleActive && (await countConsumers(consuming, queue)) > 0
  const cost = decideLook({ facts: { ...facts, isServedElsewhere }, version, acceptsLimit })
  if (cost.kind === 'refused') {
    throw new RecoveryError({
      code: 'RECOVERY_LOOK_REFUSED',
      message: `The queue "${queue}" was left alone. ${cost.problem}`,
    })
  }
  const login = publishing.connection?.endpoint.username
  const ask = ({ properties }: Delivery): ReturnQuestion => {
    return { headers: readProperty(properties, 'headers'), cost, version }
  }
  return {
    mayReturn: cost.kind === 'free' ? () => true : (delivery) => mayReturn(ask(delivery)),
    returnDeletes: (delivery) => returnDeletes(ask(delivery)),
    aside: new OverLimitQueue({ session: publishing, queue, version }),
    encodeRefreshed: ({ properties, body }) => ({
      ...{ exchange: '', key: queue, body },
      properties: refreshedProperties(properties, login),
    }),
    // Of a single active consumer the next one is served when the one before has ended, as it is done there.
    returnLimit: cost.kind === 'counted' ? cost.limit : undefined,
    returnsBehind: facts.type !== 'classic' || isSingleActive,
    maxHoldMs: Math.min(longestHoldMs, (consumerTimeoutMs ?? Number.POSITIVE_INFINITY) * 0.8),
  }
}
