import { type IncomingMessage, joinBody } from '../../broker/amqp/message.ts'
import { type Cause, causeOf } from '../../message/fingerprint-cause.ts'
import { type EncodedHeaders, headerInteger, headerText } from '../../message/header-values.ts'
import { readDeaths } from '../../message/read-deaths.ts'
import { readIsoTime } from '../../message/read-iso-time.ts'
import { warrenHeaders } from '../../message/warren-headers.ts'
import { decodeShownTable } from '../../wire/decode-table.ts'
import { encodeName, findValue } from '../../wire/name-matcher.ts'
import { type PlainTable, toPlainField, toPlainTable } from '../../wire/plain-fields.ts'
import { decodeProperties, type Properties, readProperty } from '../../wire/properties.ts'
import { addressOf, readOriginQueue } from './read-origin.ts'

/** A dead letter for people and programs. */
export interface DeadLetter {
  /** Its message id. */
  readonly id: string | undefined
  /** Its type, from the property `type` or a header. */
  readonly type: string | undefined
  /** The exchange that it came to this queue through. */
  readonly exchange: string
  /** Its routing key in this queue. */
  readonly routingKey: string
  /** Where it was first published, as far as its headers tell; else the same as `exchange` and `routingKey`. */
  readonly publishedTo: { readonly exchange: string; readonly key: string }
  /** The queue it failed in. */
  readonly queue: string | undefined
  /** Why it died. */
  readonly cause: Cause
  /** ISO 8601. */
  readonly diedAt: string | undefined
  /** Attempts that were made, as far as its headers tell. */
  readonly attempts: number | undefined
  /** Its headers, in plain values. */
  readonly headers: PlainTable
  /** The properties that it has besides its id, its type and its headers. */
  readonly properties: DeadLetterProperties
  /** The size of the whole body. */
  readonly bodyBytes: number
  /** Text if it is UTF-8, else base64. */
  readonly body: { readonly encoding: 'utf8' | 'base64'; readonly text: string; readonly isCut: boolean }
}

/** As they came; one that a message does not have is not there. */
export interface DeadLetterProperties {
  /** The media type of the body. */
  readonly contentType?: string
  /** How the body is packed, such as `gzip`. */
  readonly contentEncoding?: string
  /** 2: it survives a restart of the broker. */
  readonly deliveryMode?: number
  /** Its priority. */
  readonly priority?: number
  /** What it belongs to, such as the id of a request. */
  readonly correlationId?: string
  /** The queue where an answer is expected. */
  readonly replyTo?: string
  /** Milliseconds, as text. */
  readonly expiration?: string
  /** ISO 8601; seconds as text if they are not a valid date. */
  readonly timestamp?: string
  /** The user that published it, checked by the broker. */
  readonly userId?: string
  /** The application that published it. */
  readonly appId?: string
  /** No longer used by RabbitMQ. */
  readonly clusterId?: string
}

/**
 * @param maxBodyBytes how much of the body is shown
 * @example
 * ```ts
 * const { cause, attempts } = readDeadLetter(message, 1_024)
 * ```
 */
export function readDeadLetter(message: IncomingMessage, maxBodyBytes: number): DeadLetter {
  const properties = decodeProperties(message.properties)
  const { headers } = properties
  const timeMs = diedAt(headers)
  return {
    id: properties.messageId,
    type: typeOf(message),
    exchange: message.exchange,
    routingKey: message.routingKey,
    publishedTo: publishedTo(message),
    queue: originOf(headers),
    cause: causeOf(headers),
    diedAt: timeMs === undefined ? undefined : new Date(timeMs).toISOString(),
    attempts: attemptsOf(headers),
    headers: headers === undefined ? {} : toPlainTable(decodeShownTable(headers)),
    properties: otherProperties(properties),
    bodyBytes: message.bodyBytes,
    body: readBody(joinBody(message.body), maxBodyBytes),
  }
}

function publishedTo(message: IncomingMessage): DeadLetter['publishedTo'] {
  const { exchange, key } = addressOf(message)
  return { exchange, key }
}

function otherProperties({
  messageId: _,
  type: __,
  headers: ___,
  timestamp,
  ...others
}: Properties): DeadLetterProperties {
  const time = timestamp === undefined ? undefined : toPlainField({ type: 'T', value: timestamp })
  const written = time instanceof Date ? time.toISOString() : time?.toString()
  const all = { ...others, timestamp: written }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** The `type` property, or the `MessageType` header that frameworks write. */
export function typeOf(message: IncomingMessage): string | undefined {
  return typesOf(message)[0]
}

/**
 * Both, if a message has both: a search for either finds it.
 * @example
 * ```ts
 * const [type] = typesOf(message)
 * ```
 */
export function typesOf({ properties }: IncomingMessage): readonly string[] {
  const written = headerText(readProperty(properties, 'headers'), 'MessageType')
  return [readProperty(properties, 'type'), written].filter((type) => type !== undefined)
}

/**
 * The queue a message failed in, as far as its headers tell.
 * @example
 * ```ts
 * const queue = originOf(headers)
 * ```
 */
export function originOf(headers: EncodedHeaders): string | undefined {
  return readOriginQueue(headers, () => false)?.queue
}

/**
 * When it died, in milliseconds since 1970: as its consumer wrote, else the newest entry of x-death.
 * @example
 * ```ts
 * const ageMs = Date.now() - (diedAt(headers) ?? Date.now())
 * ```
 */
export function diedAt(headers: EncodedHeaders): number | undefined {
  const writtenMs = headers === undefined ? Number.NaN : writtenTime(headers)
  return Number.isNaN(writtenMs) ? readDeaths(headers).deaths[0]?.timeMs : writtenMs
}

/** NaN if it is missing, or not a time. */
function writtenTime(headers: Buffer): number {
  const at = findValue(headers, lastFailedAt)
  if (at < 0) return Number.NaN
  const timeMs = readIsoTime(headers, at)
  if (!Number.isNaN(timeMs)) return timeMs
  return Date.parse(headerText(headers, warrenHeaders.lastFailedAt) ?? '')
}

const lastFailedAt = encodeName(warrenHeaders.lastFailedAt)

/**
 * Failed attempts, as far as headers of any of the known layouts tell.
 * @example
 * ```ts
 * const attempts = attemptsOf(headers) ?? 0
 * ```
 */
export function attemptsOf(headers: EncodedHeaders): number | undefined {
  const written =
    headerInteger(headers, warrenHeaders.attempts) ?? headerInteger(headers, warrenHeaders.retryCount)
  if (written !== undefined) return written
  const rejections = readDeaths(headers).deaths.filter(({ reason }) => reason === 'rejected')
  if (rejections.length === 0) return undefined
  return rejections.reduce((most, { count }) => Math.max(most, count), 0)
}

function readBody(body: Buffer, maxBytes: number): DeadLetter['body'] {
  const isCut = body.length > maxBytes
  const shown = body.subarray(0, maxBytes)
  const text = shown.toString('utf8')
  // A cut may split the last character; that alone does not make it binary.
  const isText = !text.slice(0, isCut ? -2 : undefined).includes('\uFFFD')
  return isText
    ? { encoding: 'utf8', text, isCut }
    : { encoding: 'base64', text: shown.toString('base64'), isCut }
}
