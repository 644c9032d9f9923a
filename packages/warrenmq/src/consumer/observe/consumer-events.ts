import type { PublishResult } from '../../publisher/publish-result.ts'
import type { BreakerState } from '../decide/breaker-state.ts'
import type { Outcome } from '../decide/decide-outcome.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'
import type { SettledOutcome } from '../settle/settlement.ts'

/** What a consumer tells. Names and fields are stable. */
export interface ConsumerEvents {
  /** It receives messages; also after each reconnect. */
  'consumer.started': { readonly queue: string }
  /** Its channel is gone; it comes back by itself. Until then nothing arrives. */
  'consumer.interrupted': { readonly queue: string; readonly error: Error | undefined }
  /**
   * The queue is not there, or a failed message of it would be lost: `error.code` is `WAY_OUT_BROKEN` then. It takes no
   * messages, and tries again.
   */
  'consumer.start-failed': { readonly queue: string; readonly error: Error }
  /** It starts although it could not be proved that a failed message is kept; the error says what could not be checked. */
  'consumer.unproved': { readonly queue: string; readonly error: Error }
  /**
   * Its queue has a delivery limit, and no dead-letter queue takes what is over it: RabbitMQ deletes those messages.
   * Emitted once.
   */
  'consumer.limited': { readonly queue: string; readonly deliveryLimit: number }
  /** The consumer was paused: no message arrives until it is resumed. */
  'consumer.paused': { readonly queue: string }
  /** The consumer was resumed, and messages can arrive again. */
  'consumer.resumed': { readonly queue: string }
  /** It is closed. `unfinished`: handlers that had not ended by the deadline. */
  'consumer.closed': { readonly queue: string; readonly unfinished: number }
  /** A delivery is settled. Emitted exactly once for each; `stale` deliveries come again. */
  'delivery.settled': DeliveryEvent & {
    readonly outcome: Outcome | SettledOutcome
    /** From the start of its handler, in milliseconds; undefined if the handler did not run. */
    readonly durationMs: number | undefined
  }
  /** Kept in the process and run again at its time. */
  'delivery.held': DeliveryEvent & { readonly outcome: Outcome }
  /** Its channel was gone before it could be settled: the broker has it and delivers it again. */
  'delivery.stale': DeliveryEvent & { readonly outcome: Outcome | SettledOutcome }
  /** Work done before, whose acknowledgement was lost: acknowledged now, and not run again. */
  'delivery.remembered': DeliveryEvent
  /**
   * Its next place could not be reached, and the publish is tried again; or its outcome cannot be written at all, and it
   * is held and given back. In both cases the delivery is kept.
   */
  'settle.failed': DeliveryEvent & {
    readonly outcome: Outcome | SettledOutcome
    readonly result: PublishResult
    readonly nextAttemptMs: number
  }
  /** The breaker opened, closed, or lets one message through to see whether handlers work again. */
  'breaker.changed': { readonly queue: string; readonly from: BreakerKind; readonly to: BreakerKind }
}

/** The state of a breaker. */
export type BreakerKind = BreakerState['kind']

/** What every event of a delivery tells. */
export interface DeliveryEvent {
  /** The queue, by its name in the topology. */
  readonly queue: string
  /** The message that was delivered. */
  readonly message: ConsumedMessage
  /** The attempt that this delivery was, from 1. */
  readonly attempt: number
}
