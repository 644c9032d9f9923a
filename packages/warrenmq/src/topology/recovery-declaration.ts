import type { Duration } from '../message/duration.ts'

/**
 * The settings of `warren recover` and `warren.recover()`. A type, so that it can be passed where any record is
 * accepted.
 */
export type RecoveryDeclaration = {
  /**
   * The dead-letter queues, by their names on the broker, recovered one after the other.
   * @example { queues: ['billing.orders.dlq'] }
   */
  readonly queues: readonly string[]
  /**
   * The exchange for types whose route names none. @default the default exchange
   * @example { exchange: 'orders.events' }
   */
  readonly exchange?: string
  /**
   * Where each type goes: a routing key, or an exchange and a key. A message of another type stays.
   * @example { types: { OrderPlaced: 'order.placed', Refund: { exchange: 'refunds', key: 'new' } } }
   */
  readonly types: Readonly<Record<string, string | RecoveryRouteDeclaration>>
  /**
   * The header to read the type from first. @default 'MessageType'
   * @example { typeHeader: 'x-event-type' }
   */
  readonly typeHeader?: string
  /**
   * Messages that are taken at a time, from 1 to 65535. @default as many as a re-drive takes
   * @example { prefetch: 100 }
   */
  readonly prefetch?: number
  /**
   * How long a message may be held. @default '25m', less where the queue says so
   * @example { messageTimeout: '5m' }
   */
  readonly messageTimeout?: Duration
  /**
   * When a recovery ends even if messages are left.
   * @example { timeouts: { total: '10m', idle: '30s' } }
   */
  readonly timeouts?: RecoveryTimeoutsDeclaration
}

/** Where the messages of one type go. */
export interface RecoveryRouteDeclaration {
  /**
   * The exchange. @default that of the section
   * @example { exchange: 'refunds' }
   */
  readonly exchange?: string
  /**
   * The routing key.
   * @example { key: 'new' }
   */
  readonly key: string
}

/** When a recovery ends even if messages are left. */
export interface RecoveryTimeoutsDeclaration {
  /**
   * After this long, for all queues together. @default '30m'
   * @example { total: '10m' }
   */
  readonly total?: Duration
  /**
   * When nothing new came for this long and only kept messages remain. @default '10s'
   * @example { idle: '30s' }
   */
  readonly idle?: Duration
  /**
   * When the queue has been empty for this long. @default '5s'
   * @example { empty: '10s' }
   */
  readonly empty?: Duration
  /**
   * When no message could be moved for this long. @default '30s'
   * @example { stall: '1m' }
   */
  readonly stall?: Duration
}
