import type { WarrenError } from '../errors.ts'

/** The result of one publish: exactly one of these, once. */
export type PublishResult =
  /** The broker has it, in every queue it was routed to. */
  | {
      readonly kind: 'confirmed'
      /** The id of the message. */
      readonly messageId: string | undefined
      /** It was sent again after a lost connection, so the broker may have it twice, both with this id. */
      readonly mayBeDuplicate: boolean
    }
  /** No queue took it: the exchange has no matching binding. Nothing has it, unless it may be a duplicate. */
  | {
      readonly kind: 'returned'
      /** The id of the message. */
      readonly messageId: string | undefined
      /** The broker's reply code; 312 if no binding matched. */
      readonly replyCode: number
      /** Why the broker returned it. */
      readonly replyText: string
      /** An earlier copy was sent by a connection that was lost, and a queue may have that one. */
      readonly mayBeDuplicate: boolean
    }
  /** The broker refused it: a queue is full and rejects, or could not store it. Another queue may have it. */
  | {
      readonly kind: 'nacked'
      /** The id of the message. */
      readonly messageId: string | undefined
      /** An earlier copy was sent by a connection that was lost, and a queue may have that one. */
      readonly mayBeDuplicate: boolean
    }
  /** No answer came: the connection or channel was lost, or the deadline passed. */
  | {
      readonly kind: 'unknown'
      /** The id of the message. */
      readonly messageId: string | undefined
      /** False: it never left this process, so the broker does not have it. */
      readonly wasSent: boolean
      /** Why there is no answer. */
      readonly cause: WarrenError
    }
