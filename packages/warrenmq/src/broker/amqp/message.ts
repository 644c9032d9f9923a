import type { Body } from '../../wire/frame-writer.ts'
import type { RawProperties } from '../../wire/properties.ts'

/** A message as it came off the wire. Bytes are views into what was read: copy what you keep. */
export interface IncomingMessage {
  readonly exchange: string
  readonly routingKey: string
  readonly properties: RawProperties
  /** The body in the pieces in which it arrived; pass it on as it is, or join it with `joinBody`. */
  readonly body: Body
  readonly bodyBytes: number
}

/** A message the broker gave back because no queue took it. */
export interface ReturnedMessage extends IncomingMessage {
  readonly replyCode: number
  readonly replyText: string
}

/**
 * The body as one Buffer; copies only if it came in several pieces.
 * @example
 * ```ts
 * const text = joinBody(message.body).toString()
 * ```
 */
export function joinBody(body: Body): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.concat(body)
}
