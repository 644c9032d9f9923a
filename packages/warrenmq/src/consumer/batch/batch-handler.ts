import type { Duration } from '../../message/duration.ts'
import type { StandardSchema } from '../../message/standard-schema.ts'
import type { ConsumerOptions } from '../consumer-options.ts'
import type { HandlerReturn } from '../handler.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'

/**
 * The user's function for many messages at once. Returning nothing acknowledges all of them, and throwing fails all; a
 * list has one answer for each message, in their order.
 */
export type BatchHandler<Body = unknown> = (
  messages: readonly ConsumedMessage<Body>[],
  context: BatchContext,
) => BatchReturn | PromiseLike<BatchReturn>

/** What a batch handler may return: one answer for all, or a list with one for each. An error in it counts as thrown. */
export type BatchReturn = HandlerReturn | readonly (HandlerReturn | Error)[]

/** What a batch handler gets besides the messages. */
export interface BatchContext {
  /** Aborted when the time-out of the first message passes, or when the consumer closes and cannot wait any longer. */
  readonly signal: AbortSignal
  /** Which try this is for each message, from 1, in their order. */
  readonly attempts: readonly number[]
  /** The last try: a message that fails it is parked. */
  readonly maxAttempts: number
  /** The queue, by its name on the broker. */
  readonly queue: string
}

/** How a consumer works that handles many messages at once. */
export interface BatchConsumerOptions<Schema extends StandardSchema = StandardSchema>
  extends ConsumerOptions<Schema> {
  /**
   * How many messages a batch has.
   * @example { batch: { size: 100, wait: '1s' } }
   */
  readonly batch: BatchOptions
  /**
   * Batches that run at a time. @default 1
   * @example { concurrency: 2 }
   */
  readonly concurrency?: number
}

/** How many messages a batch has. */
export interface BatchOptions {
  /**
   * At most this many messages.
   * @example { size: 100 }
   */
  readonly size: number
  /**
   * A batch that is not full begins when its first message has waited this long. @default '1s'
   * @example { wait: '500ms' }
   */
  readonly wait?: Duration
}
