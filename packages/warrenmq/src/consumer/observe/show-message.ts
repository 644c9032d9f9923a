import type { ConsumedMessage } from '../run/consumed-message.ts'
import { describeValue } from '../run/describe-value.ts'

/** Megabytes do not belong in a log line. */
const mostShownBytes = 4 * 1024

/** What there is to see of a message that somebody prints. Never throws, whatever the body is. */
export function showMessage(message: ConsumedMessage): Readonly<Record<string, unknown>> {
  const { id, type, exchange, routingKey, isRedelivered, correlationId, replyTo, appId } = message
  const { contentType, contentEncoding, timestamp, headers } = message
  const named = { id, type, exchange, routingKey, isRedelivered, correlationId, replyTo, appId }
  const all = { ...named, contentType, contentEncoding, timestamp, headers, body: showBody(message) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** The same in values that JSON has. */
export function messageToJson(message: ConsumedMessage): unknown {
  const shown = showMessage(message)
  try {
    return toJson(shown)
  } catch (error) {
    return toJson({ ...shown, body: `cannot be written as JSON: ${describeValue(error)}` })
  }
}

function toJson(value: unknown): unknown {
  const writeBigint = (_name: string, part: unknown) => (typeof part === 'bigint' ? part.toString() : part)
  return JSON.parse(JSON.stringify(value, writeBigint))
}

function showBody(message: ConsumedMessage): unknown {
  const { rawBody, contentEncoding } = message
  if (rawBody.length > mostShownBytes) return `${rawBody.length} bytes`
  try {
    const { body } = message
    if (Buffer.isBuffer(body)) return showBytes(body)
    // A few packed bytes may be a large value.
    return contentEncoding !== undefined && sizeOf(body) > mostShownBytes
      ? `${rawBody.length} bytes, packed`
      : body
  } catch (error) {
    return `${rawBody.length} bytes that cannot be decoded: ${describeValue(error)}`
  }
}

function showBytes(body: Buffer): string {
  const shown = body.subarray(0, 64).toString('hex')
  return `${body.length} bytes: ${shown}${body.length > 64 ? '…' : ''}`
}

function sizeOf(body: unknown): number {
  return JSON.stringify(body)?.length ?? 0
}
