import type { Message } from '../message/message.ts'

/** A message in a queue, with what the queue knows of it. */
export interface QueuedMessage {
  readonly message: Message
  /** Grows with each message: where it stands among its peers. */
  position: number
  /** Infinity when it never expires. */
  readonly expiresAtMs: number
  readonly sizeBytes: number
  /** How often it was handed out and came back. */
  returnCount: number
  /** Quorum queues: how often that was a failure, as far as the version tells the two apart. */
  deliveryCount: number
  /** Quorum queues: until when the consumer may hold it. */
  heldUntilMs: number
}

/** What a client made of its deliveries. `return` and `reject-return` differ for quorum queues of 4.3. */
export type Settlement = 'ack' | 'return' | 'reject-return' | 'discard' | 'reject-discard'
