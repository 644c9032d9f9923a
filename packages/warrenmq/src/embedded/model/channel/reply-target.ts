import type { Message } from '../message/message.ts'

/** A channel that waits for direct replies, as those see it who send them. */
export interface ReplyTarget {
  readonly peer: { deliverReply(consumerTag: string, deliveryTag: number, message: Message): void }
  readonly replyTo: { readonly consumerTag: string; readonly suffix: string } | undefined
  readonly nextDeliveryTag: number
}
