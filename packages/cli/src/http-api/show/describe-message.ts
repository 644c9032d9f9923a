import type { DeadLetter } from 'warrenmq'
import {
  decodeShownTable,
  type FieldValue,
  type IncomingMessage,
  joinBody,
  readDeadLetter,
  readDeaths,
  readProperty,
  toJson,
  toPlainField,
  toPlainTable,
} from 'warrenmq/operations'
import type {
  DeathRecord,
  MessageBody,
  MessageDetail,
  MessageSummary,
  TypedHeader,
} from '../contract/contract.ts'
import { describeProperties } from './describe-properties.ts'
import { maskBody } from './mask-body.ts'
import type { PayloadRules } from './payload-rules.ts'
import { showHeaders } from './show-headers.ts'
import { unpackBody } from './unpack-body.ts'

/** @param key the name of the message in the API */
export function summarise(message: IncomingMessage, key: string): MessageSummary {
  return summaryOf(key, readDeadLetter(message, 0))
}

/** Most of a body that goes into one answer. */
const mostBodyBytes = 256 * 1024

export function describeMessage(
  message: IncomingMessage,
  { key, rules }: { readonly key: string; readonly rules: PayloadRules },
): MessageDetail {
  const headers = readProperty(message.properties, 'headers')
  const deaths = readDeaths(headers).deaths.map(
    ({ queue, reason, count, timeMs, exchange, routingKeys }): DeathRecord => ({
      queue,
      reason,
      count,
      routingKeys,
      firstAt: timeMs === undefined ? null : new Date(timeMs).toISOString(),
      exchange: exchange ?? null,
    }),
  )
  return {
    ...summarise(message, key),
    properties: describeProperties(message.properties),
    headers: headers === undefined ? [] : showHeaders(decodeShownTable(headers), rules).map(describeHeader),
    deaths: deaths.reverse(),
    ...describeBody(message, rules),
    decoded: describeDecoded(message, rules),
  }
}

/** What is hidden or masked in a body is so in what it unpacks to, which is often the only readable form. */
function describeDecoded(message: IncomingMessage, rules: PayloadRules): MessageBody | null {
  if (!rules.isShown) return null
  const unpacked = unpackBody(joinBody(message.body), readProperty(message.properties, 'contentEncoding'))
  return unpacked ? describeBody({ ...pick(message), body: unpacked }, rules).body : null
}

/** The body, or why there is none to be seen. */
export function describeBody(
  message: IncomingMessage,
  { isShown, maskedPaths }: PayloadRules,
): Pick<MessageDetail, 'body' | 'bodyHidden'> {
  if (!isShown) return { body: null, bodyHidden: 'from-your-role' }
  // Masked before it is cut: a cut body is no JSON any more.
  const masked = maskBody(joinBody(message.body), maskedPaths)
  if (masked.kind === 'unreadable') return { body: null, bodyHidden: 'cannot-be-masked' }
  const isMasked = masked.kind === 'masked'
  const shown = isMasked ? { ...pick(message), body: Buffer.from(masked.text) } : message
  const body: MessageBody = { ...readDeadLetter(shown, mostBodyBytes).body, isMasked }
  return { body, bodyHidden: null }
}

/** All headers by name, as far as the caller may see them. */
export function describeHeaders({ properties }: IncomingMessage, rules: PayloadRules): unknown {
  const headers = readProperty(properties, 'headers')
  return headers === undefined ? {} : toJson(toPlainTable(showHeaders(decodeShownTable(headers), rules)))
}

function pick({
  exchange,
  routingKey,
  properties,
  bodyBytes,
}: IncomingMessage): Omit<IncomingMessage, 'body'> {
  return { exchange, routingKey, properties, bodyBytes }
}

function summaryOf(key: string, letter: DeadLetter): MessageSummary {
  return {
    key,
    id: letter.id ?? null,
    type: letter.type ?? null,
    exchange: letter.exchange,
    routingKey: letter.routingKey,
    failedIn: letter.queue ?? null,
    cause: letter.cause,
    diedAt: letter.diedAt ?? null,
    attempts: letter.attempts ?? null,
    bodyBytes: letter.bodyBytes,
  }
}

function describeHeader({ name, value }: { name: string; value: FieldValue }): TypedHeader {
  return { name, type: value.type, value: toJson(toPlainField(value)) }
}
