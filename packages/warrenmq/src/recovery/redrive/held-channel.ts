import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import type { QueueWalk } from '../look/queue-walk.ts'
import type { Refreshes } from '../look/refreshes.ts'

/** One of the channels that hold messages. */
export interface HeldChannel {
  readonly channel: AmqpChannel
  readonly walk: QueueWalk
  readonly refreshes: Refreshes
  /** Acks that were handed to it, those that a question behind them proves or will prove, and those that are proved. */
  acked: number
  covered: number
  known: number
}
