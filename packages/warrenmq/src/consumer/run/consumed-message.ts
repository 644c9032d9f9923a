import type { PlainTable } from '../../wire/plain-fields.ts'

/** A message as a handler sees it. Everything is decoded when it is first asked for. */
export interface ConsumedMessage<Body = unknown> {
  /** Unpacked, and decoded by content type. Reading it throws if it cannot be decoded, and the message is parked. */
  readonly body: Body
  /** As it came: packed, if `contentEncoding` says so. */
  readonly rawBody: Buffer
  /** Its headers, in plain values. */
  readonly headers: PlainTable
  /** Where it was first published; retries and dead-lettering do not change it. */
  readonly exchange: string
  /** The key with which it was first published. */
  readonly routingKey: string
  /** The message id. */
  readonly id: string | undefined
  /** What kind of message it is, as its producer says. */
  readonly type: string | undefined
  /** What it belongs to, as its producer says. */
  readonly correlationId: string | undefined
  /** The queue where an answer is expected. */
  readonly replyTo: string | undefined
  /** The application that published it. */
  readonly appId: string | undefined
  /** What the body is, such as `application/json`. */
  readonly contentType: string | undefined
  /** How the body is packed, such as `gzip`. */
  readonly contentEncoding: string | undefined
  /** When it was published, to the second. */
  readonly timestamp: Date | undefined
  /** Whether the broker has delivered it before and got no answer. */
  readonly isRedelivered: boolean
}

/** All of a message but its body, for a decoder: `rawBody` has the bytes as they came, still packed. */
export type Undecoded = Omit<ConsumedMessage, 'body'>

/** Makes a body of the bytes of a message. What it throws parks the message. */
export type BodyDecoder = (message: Undecoded) => unknown
