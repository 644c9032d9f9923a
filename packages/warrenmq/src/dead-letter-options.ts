import type { RedriveOptions } from './recovery/redrive/redrive-options.ts'

export interface LookChoice {
  /** Only messages such as `type:OrderPlaced and (cause:Timeout or died<2h)`. @default all */
  readonly where?: string
  /**
   * Take messages although the queue has a delivery limit, or nobody can tell: one that is at the limit is deleted by
   * RabbitMQ if the connection breaks meanwhile. @default false
   */
  readonly acceptDeliveryLimit?: boolean
  /**
   * How long messages are held at most, in milliseconds. For a broker whose `consumer_timeout` is not the usual 30
   * minutes. @default 1500000, less where the queue says so
   */
  readonly maxHoldMs?: number
  /** Who does it; shown to whoever finds the queue taken, and written into receipts. @default the host's name */
  readonly by?: string
}

export interface CausesOptions extends LookChoice {
  /** Look at so many from the head. @default all */
  readonly count?: number
  /**
   * Tell the messages of one cause apart by `type`, `key`, `exchange`, `queue`, `attempts`, `header.NAME` or
   * `body.PATH`. @default one group per cause, with the fields (`splits`) that tell its messages apart
   */
  readonly groupBy?: string | readonly string[]
}

export interface PeekOptions extends LookChoice {
  /** Show so many. @default 20 */
  readonly count?: number
  /** Show so much of each body. @default 1024 */
  readonly bodyBytes?: number
}

export interface RedriveChoice
  extends LookChoice,
    Pick<
      RedriveOptions,
      | 'attempts'
      | 'limit'
      | 'ratePerSecond'
      | 'canary'
      | 'stopWhenDead'
      | 'stopWhenTargetAbove'
      | 'waitMs'
      | 'reason'
      | 'signal'
      | 'onProgress'
      | 'onWait'
    > {
  /** The queue each failed in, its wait queue, where it was first published, or a queue by name. @default 'origin' */
  readonly to?: 'origin' | 'retry' | 'exchange' | { readonly queue: string }
  /**
   * Believe what headers tell of where a message failed, where no queue is known to dead-letter here. Anybody who may
   * publish can write them. @default false: such a message stays, as `origin-foreign`
   */
  readonly trustHeaders?: boolean
}
