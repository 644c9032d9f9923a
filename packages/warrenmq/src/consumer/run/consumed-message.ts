import type { PlainTable } from '../../wire/plain-fields.ts'

/** A message as a handler sees it. Everything is decoded when it is first asked for. */
export interface ConsumedMessage<Body = unknown> {
  /** Unpacked, and decoded by content type. Reading it throws where it cannot be decoded, and the message is parked. */
  readonly body: Body
  /** As it came: packed, where `contentEncoding` says so. */
  readonly rawBody: Buffer
  readonly headers: PlainTable
  /** Where it was first published; retries and dead-lettering do not change it. */
  readonly exchange: string
  readonly routingKey: string
  readonly id: string | undefined
  readonly type: string | undefined
  readonly correlationId: string | undefined
  readonly replyTo: string | undefined
  readonly appId: string | undefined
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly timestamp: Date | undefined
  readonly isRedelivered: boolean
}

/** All of a message but its body, for whoever makes that: `rawBody` has the bytes as they came, packed where they are. */
export type Undecoded = Omit<ConsumedMessage, 'body'>

export type BodyDecoder = (message: Undecoded) => unknown
