import { InvalidArgumentError } from '../errors.ts'
import type { Duration } from '../message/duration.ts'
import { readTimes } from '../message/read-times.ts'
import { type OptionNames, refuseUnknown } from '../message/refuse-unknown.ts'
import type { FieldTable } from '../wire/field-value.ts'
import type { Body } from '../wire/frame-writer.ts'
import { type PlainTable, toFieldTable } from '../wire/plain-fields.ts'
import { encodeProperties, type RawProperties } from '../wire/properties.ts'
import { sizeOfShortText } from '../wire/short-text.ts'
import { encodeBody } from './encode-body.ts'

/** A message to publish. Only the body and the address are needed. */
export interface OutgoingMessage {
  /**
   * Where to publish. @default '' (the default exchange: straight to the queue named by `key`)
   * @example { exchange: 'orders.events' }
   */
  readonly exchange?: string
  /**
   * The routing key.
   * @example { key: 'order.placed' }
   */
  readonly key: string
  /**
   * Bytes and text are sent as they are; anything else as JSON with its content type. A buffer is not copied: do not
   * change it before the publish has its result. Values that JSON cannot express (a Map, a Blob, a promise) are refused.
   * @example { body: { id: 42 } }
   */
  readonly body: unknown
  /**
   * Headers, in plain values; `typed` sets the AMQP type if it matters.
   * @example { headers: { tenant: 'acme', total: typed({ type: 'l', value: 5n }) } }
   */
  readonly headers?: PlainTable
  /**
   * The id of the message, which every copy of it keeps. @default a new UUID
   * @example { messageId: 'order-42' }
   */
  readonly messageId?: string
  /**
   * The type of the body. @default that of JSON for bodies sent as JSON
   * @example { contentType: 'application/xml' }
   */
  readonly contentType?: string
  /**
   * How the body is compressed, such as `gzip`. The publisher does not compress it.
   * @example { contentEncoding: 'gzip' }
   */
  readonly contentEncoding?: string
  /**
   * What kind of message it is.
   * @example { type: 'OrderPlaced' }
   */
  readonly type?: string
  /**
   * What it belongs to, such as the id of a request.
   * @example { correlationId: 'request-17' }
   */
  readonly correlationId?: string
  /**
   * The queue where an answer is expected.
   * @example { replyTo: 'billing.answers' }
   */
  readonly replyTo?: string
  /**
   * The application that publishes it.
   * @example { appId: 'shop' }
   */
  readonly appId?: string
  /**
   * Must be the user of the connection, or the broker closes the channel.
   * @example { userId: 'billing' }
   */
  readonly userId?: string
  /**
   * Higher ones are delivered first, by queues that have priorities. @default 0
   * @example { priority: 5 }
   */
  readonly priority?: number
  /**
   * How long it may wait in a queue: ten years at most. @default as long as the queue keeps it
   * @example { expiration: '1h' }
   */
  readonly expiration?: Duration
  /**
   * The same as `expiration`, in milliseconds.
   * @example { expirationMs: 3_600_000 }
   */
  readonly expirationMs?: number
  /**
   * When the message was made. @default now
   * @example { timestamp: new Date('2030-01-31T18:00:00Z') }
   */
  readonly timestamp?: Date
  /**
   * Kept on disk by durable queues. @default true
   * @example { persistent: false }
   */
  readonly persistent?: boolean
  /**
   * The broker returns it if no queue takes it. @default true
   * @example { mandatory: false }
   */
  readonly mandatory?: boolean
}

const messageFields: OptionNames<OutgoingMessage> = {
  exchange: true,
  key: true,
  body: true,
  headers: true,
  messageId: true,
  contentType: true,
  contentEncoding: true,
  type: true,
  correlationId: true,
  replyTo: true,
  appId: true,
  userId: true,
  priority: true,
  expiration: true,
  expirationMs: true,
  timestamp: true,
  persistent: true,
  mandatory: true,
}

/** Refuses what has no address, or fields that nobody reads: sent all the same, it would go where nobody looks. */
export function checkAddress(message: OutgoingMessage): void {
  if (isStrange(message)) refuseUnknown('publish()', message, messageFields)
  const { exchange, key } = message as { exchange?: unknown; key: unknown }
  if (exchange === last.exchange && key === last.key) return
  if (exchange !== undefined && typeof exchange !== 'string') {
    throw new InvalidArgumentError(
      `The exchange is ${String(exchange)}; give its name, or leave it out to publish to the queue named by key.`,
    )
  }
  if (typeof key !== 'string') {
    throw new InvalidArgumentError(
      `publish() needs a key, the routing key as text, but got ${String(key)}. Use '' if the exchange ignores it.`,
    )
  }
  sizeOfShortText('The exchange', exchange ?? '')
  sizeOfShortText('The key', key)
  last.exchange = exchange
  last.key = key
}

const fieldNames: ReadonlySet<string> = new Set(Object.keys(messageFields))

/** Asked for every message: `for in` makes no list of the names, and a set is quicker than an object. */
function isStrange(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return true
  for (const name in message) if (!fieldNames.has(name)) return true
  return false
}

/** The next message mostly goes where the last one went. */
const last: { exchange: string | undefined; key: string } = { exchange: undefined, key: '' }

/** A message ready for the wire, with its properties encoded. */
export interface EncodedMessage {
  readonly exchange: string
  readonly key: string
  readonly properties: RawProperties
  readonly body: Body
  /** Told in the result. */
  readonly messageId?: string | undefined
  /** Whether its properties have an id. @default whether `messageId` is given */
  readonly hasId?: boolean
  /** @default true */
  readonly mandatory?: boolean
  /** Sent in its place if it has to be sent again. @default the message itself */
  readonly again?: EncodedMessage
}

export function encodeMessage(
  message: OutgoingMessage,
  defaults: { messageId: string; nowMs: number },
): EncodedMessage {
  const [body, contentType] = encodeBody(message.body)
  const messageId = message.messageId ?? defaults.messageId
  const expirationMs = message.expiration === undefined ? message.expirationMs : expirationOf(message)
  const properties = encodeProperties({
    contentType: message.contentType ?? contentType,
    contentEncoding: message.contentEncoding,
    headers: message.headers ? encodeHeaders(message.headers) : undefined,
    deliveryMode: message.persistent === false ? 1 : 2,
    priority: message.priority,
    correlationId: message.correlationId,
    replyTo: message.replyTo === undefined ? undefined : replyAddress(message.replyTo),
    expiration: expirationMs === undefined ? undefined : encodeExpiration(expirationMs),
    messageId,
    timestamp: secondsOf(message.timestamp === undefined ? defaults.nowMs : timeOf(message.timestamp)),
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
    mandatory: message.mandatory !== false,
  }
}

function expirationOf({ expiration, expirationMs }: OutgoingMessage): number | undefined {
  return readTimes('publish()', { expiration, expirationMs }, ['expiration']).expirationMs
}

function timeOf(timestamp: Date): number {
  if (timestamp instanceof Date) return timestamp.getTime()
  throw new InvalidArgumentError(`timestamp is ${String(timestamp)}; it must be a Date.`)
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

/** Headers by which RabbitMQ routes, or which it reads itself: of another type it closes the channel or the connection. */
function encodeHeaders(headers: PlainTable): FieldTable {
  if (Object.prototype.toString.call(headers) !== '[object Object]')
    throw new InvalidArgumentError('headers must be an object with a value for each name.')
  for (const name of ['CC', 'BCC']) {
    const keys = headers[name]
    if (keys !== undefined && !(Array.isArray(keys) && keys.every((key) => typeof key === 'string')))
      throw new InvalidArgumentError(`The header ${name} must be a list of routing keys, as text.`)
  }
  const filter = headers['x-stream-filter-value']
  if (filter !== undefined && typeof filter !== 'string')
    throw new InvalidArgumentError('The header x-stream-filter-value must be text.')
  return toFieldTable(headers)
}

/** RabbitMQ closes the channel over it where nobody consumes from there on the same channel, and a publisher never does. */
function replyAddress(replyTo: string): string {
  if (replyTo !== 'amq.rabbitmq.reply-to') return replyTo
  throw new InvalidArgumentError(
    `replyTo is ${replyTo}, which RabbitMQ accepts only on the channel that consumes the replies. Name your own queue.`,
  )
}

/** The longest that RabbitMQ takes: ten years. */
const longestExpirationMs = 315_360_000_000

/** RabbitMQ closes the channel over anything but decimal digits, and over more than ten years. */
function encodeExpiration(expirationMs: number): string {
  if (Number.isSafeInteger(expirationMs) && expirationMs >= 0 && expirationMs <= longestExpirationMs)
    return String(expirationMs)
  throw new InvalidArgumentError(
    `expirationMs is ${expirationMs}; it must be a whole number of milliseconds from 0 to ${longestExpirationMs} (ten years).`,
  )
}
