import type { BrokerVersion } from '../../message/broker-version.ts'
import type { EncodedHeaders } from '../../message/header-values.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import type { HandlerContext, HandlerReturn } from '../handler.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'
import type { DeliveredMessage } from '../run/delivered-message.ts'
import type { Republish } from '../settle/republish.ts'
import type { SettledOutcome } from '../settle/settlement.ts'
import type { SettledConsumerOptions } from '../settle-consumer-options.ts'
import type { AmqplibChannel, AmqplibMessage } from './amqplib-channel.ts'
import type { CopyPlacer } from './copy-placer.ts'

/** What `retrying` reports. */
export type RetryingEvent =
  /** The broker was told: acknowledged, published elsewhere and acknowledged, rejected, or given back. */
  | {
      readonly kind: 'settled'
      /** The message. */
      readonly message: ConsumedMessage
      /** Which try it was, from 1. */
      readonly attempt: number
      /** What the broker was told. */
      readonly outcome: SettledOutcome
    }
  /** The channel closed first. The broker has the message, and delivers it again. */
  | {
      readonly kind: 'stale'
      /** The message. */
      readonly message: ConsumedMessage
      /** Which try it was, from 1. */
      readonly attempt: number
    }
  /** A copy found no place. The message is kept, and the publish is tried again. */
  | {
      readonly kind: 'unplaced'
      /** The message. */
      readonly message: ConsumedMessage
      /** Why the copy found no place. */
      readonly problem: string
      /** When the publish is tried again, in milliseconds from now. */
      readonly nextAttemptMs: number
    }
  /** The broker ended the consumer, as when its queue is deleted. Consume again. */
  | { readonly kind: 'cancelled' }

/** What a wrapped handler gets besides the message. */
export interface RetryingContext extends HandlerContext {
  /** The same message as Warren's consumers get it: `body` is decoded, and `routingKey` is that of the first publish. */
  readonly message: ConsumedMessage
}

/** What every delivery of a wrapped consumer is attended with. */
export interface Attendance {
  readonly channel: AmqplibChannel
  readonly placer: CopyPlacer
  readonly flow: QueueFlow
  readonly version: BrokerVersion
  readonly options: SettledConsumerOptions
  readonly handler: (
    message: AmqplibMessage,
    context: RetryingContext,
  ) => HandlerReturn | PromiseLike<HandlerReturn>
  readonly tell: (event: RetryingEvent) => void
}

/** One message of amqplib, from its delivery to its settlement. */
export interface WrappedRun {
  readonly message: AmqplibMessage
  readonly delivery: Republish['delivery']
  readonly headers: EncodedHeaders
  readonly consumed: DeliveredMessage
  readonly failedBefore: number
  /** Failures on a plain queue, which cost no attempt on the broker. */
  localFailures: number
  readonly receivedAtMs: number
}

/** Which attempt the run is, from 1. */
export function attemptOf({ failedBefore, localFailures }: WrappedRun): number {
  return failedBefore + localFailures + 1
}
