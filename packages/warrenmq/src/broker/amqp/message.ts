import type { Body } from '../../wire/frame-writer.ts'
import type { RawProperties } from '../../wire/properties.ts'

/** A message as it came off the wire. Bytes are views into what was read: copy what you keep. */
export interface IncomingMessage {
  /** Where it was published; empty for the default exchange. */
  readonly exchange: string
  /** The key it was published with. */
  readonly routingKey: string
  /** Properties and headers, as encoded bytes. */
  readonly properties: RawProperties
  /** The body in the pieces in which it arrived; pass it on as it is, or join it with `joinBody`. */
  readonly body: Body
  /** The length of the body in bytes. */
  readonly bodyBytes: number
}

/** A message the broker gave back because no queue took it. */
export interface ReturnedMessage extends IncomingMessage {
  /** 312 means that no queue is bound for it. */
  readonly replyCode: number
  /** The broker's own words, such as `NO_ROUTE`. */
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
