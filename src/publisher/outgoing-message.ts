import { InvalidArgumentError } from '../errors.ts'
import type { Body } from '../wire/frame-writer.ts'
import { type PlainTable, toFieldTable } from '../wire/plain-fields.ts'
import { encodeProperties, type RawProperties } from '../wire/properties.ts'

/** A message to publish. Only the body and the address are needed. */
export interface OutgoingMessage {
  /** @default '' (the default exchange: straight to the queue named by `key`) */
  readonly exchange?: string
  /** The routing key. */
  readonly key: string
  /**
   * Bytes and text are sent as they are; anything else as JSON with its content type. A buffer is sent from
   * where it is, whatever its size: do not change it before the result is there.
   */
  readonly body: unknown
  readonly headers?: PlainTable
  /** @default a new UUID */
  readonly messageId?: string
  readonly contentType?: string
  readonly contentEncoding?: string
  readonly type?: string
  readonly correlationId?: string
  readonly replyTo?: string
  readonly appId?: string
  /** Must be the user of the connection, or the broker closes the channel. */
  readonly userId?: string
  readonly priority?: number
  /** How long it may wait in a queue, in milliseconds. */
  readonly expirationMs?: number
  /** @default now */
  readonly timestamp?: Date
  /** Kept on disk by durable queues. @default true */
  readonly persistent?: boolean
  /** Ask to have it returned when no queue takes it. @default true */
  readonly mandatory?: boolean
}

/** A message ready for the wire, with its properties encoded. */
export interface EncodedMessage {
  readonly exchange: string
  readonly key: string
  readonly properties: RawProperties
  readonly body: Body
  readonly messageId?: string | undefined
  /** @default true */
  readonly mandatory?: boolean
}

export function encodeMessage(
  message: OutgoingMessage,
  defaults: { messageId: string; nowMs: number },
): EncodedMessage {
  const [body, contentType] = encodeBody(message.body)
  const messageId = message.messageId ?? defaults.messageId
  const properties = encodeProperties({
    contentType: message.contentType ?? contentType,
    contentEncoding: message.contentEncoding,
    headers: message.headers && toFieldTable(message.headers),
    deliveryMode: message.persistent === false ? 1 : 2,
    priority: message.priority,
    correlationId: message.correlationId,
    replyTo: message.replyTo,
    expiration: message.expirationMs === undefined ? undefined : encodeExpiration(message.expirationMs),
    messageId,
    timestamp: secondsOf(message.timestamp?.getTime() ?? defaults.nowMs),
    type: message.type,
    userId: message.userId,
    appId: message.appId,
  })
  return {
    exchange: message.exchange ?? '',
    key: message.key,
    properties,
    body,
    messageId,
    mandatory: message.mandatory ?? true,
  }
}

let lastSecond = 0
let lastTimestamp = 0n

/** Thousands of messages share a second, and a bigint is dear to make. */
function secondsOf(timeMs: number): bigint {
  const second = Math.floor(timeMs / 1000)
  if (!(second >= 0)) throw new InvalidArgumentError('timestamp is not a date since 1970. Give a valid Date.')
  if (second !== lastSecond) {
    lastSecond = second
    lastTimestamp = BigInt(second)
  }
  return lastTimestamp
}

function encodeBody(body: unknown): [Buffer, string | undefined] {
  if (Buffer.isBuffer(body)) return [body, undefined]
  if (body instanceof Uint8Array)
    return [Buffer.from(body.buffer, body.byteOffset, body.byteLength), undefined]
  if (typeof body === 'string') return [Buffer.from(body, 'utf8'), 'text/plain; charset=utf-8']
  const json = stringify(body)
  if (json !== undefined) return [Buffer.from(json, 'utf8'), 'application/json']
  throw new InvalidArgumentError(
    `A body of type ${typeof body} cannot be sent. Give bytes, text or a JSON value.`,
  )
}

function stringify(body: unknown): string | undefined {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new InvalidArgumentError(`The body cannot be written as JSON: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** RabbitMQ closes the channel over anything but decimal digits. */
function encodeExpiration(expirationMs: number): string {
  if (Number.isSafeInteger(expirationMs) && expirationMs >= 0) return String(expirationMs)
  throw new InvalidArgumentError(
    `expirationMs is ${expirationMs}; it must be a whole number of milliseconds, 0 or more.`,
  )
}
