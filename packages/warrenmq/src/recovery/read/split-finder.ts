import { type IncomingMessage, joinBody } from '../../broker/amqp/message.ts'
import { isBrokerHeader } from '../../message/strip-broker-headers.ts'
import { decodeShownFieldValue } from '../../wire/decode-table.ts'
import { endOfValue, valueOfEntry } from '../../wire/name-matcher.ts'
import { toPlainField } from '../../wire/plain-fields.ts'
import { readProperty } from '../../wire/properties.ts'
import { readShortText } from '../../wire/short-text.ts'
import { type CauseSplit, chooseSplits, type SplitCounts } from './cause-splits.ts'
import { comparableText } from './comparable-text.ts'
import { parseExactJson } from './parse-exact-json.ts'
import { typeOf } from './read-dead-letter.ts'
import { addressOf } from './read-origin.ts'

/** What tells the messages of one cause apart. */
export interface SplitFinder {
  add(message: IncomingMessage): void
  list(): readonly CauseSplit[]
}

/** Of more fields, those that come first are counted: a message that invents names must not fill the memory. */
const mostFields = 64
/** A field with more values is an id, a time or an amount, and is not counted any further. */
const mostValues = 32
const longestValue = 60

/** @param includesBody false if the caller may not see bodies */
export function createSplitFinder({ includesBody }: { readonly includesBody: boolean }): SplitFinder {
  const fields = new Map<string, Map<string, number> | 'too-many'>()
  let total = 0
  const count = (field: string, value: unknown): void => {
    let values = fields.get(field)
    if (values === 'too-many' || !isScalar(value)) return
    if (!values) {
      if (fields.size >= mostFields) return
      values = new Map()
      fields.set(field, values)
    }
    const text = cut(comparableText(value) ?? '')
    const known = values.get(text)
    if (known === undefined && values.size >= mostValues) fields.set(field, 'too-many')
    else values.set(text, (known ?? 0) + 1)
  }
  return {
    add: (message) => {
      total += 1
      const headers = readProperty(message.properties, 'headers')
      const { key, exchange } = addressOf(message)
      count('type', typeOf(message))
      count('key', key)
      count('exchange', exchange)
      if (headers) countHeaders(headers, { count, isCounted: (field) => fields.get(field) !== 'too-many' })
      if (includesBody) countBody(message, count)
    },
    list: () => chooseSplits({ total, fields: [...fields].flatMap(countsOf) }),
  }
}

type Count = (field: string, value: unknown) => void

function countHeaders(
  headers: Buffer,
  { count, isCounted }: { readonly count: Count; readonly isCounted: (field: string) => boolean },
): void {
  for (let at = 0; at < headers.length; ) {
    const valueAt = valueOfEntry(headers, at)
    const end = endOfValue(headers, valueAt)
    const name = readShortText(headers, at + 1, valueAt)
    const field = `header.${name}`
    if (isCounted(field) && isOwnHeader(name) && isNameable(name))
      count(field, toPlainField(decodeShownFieldValue(headers.subarray(valueAt, end))))
    at = end
  }
}

/** What a broker or Warren writes tells nothing that the cause does not. */
function isOwnHeader(name: string): boolean {
  return (
    !isBrokerHeader(name) &&
    !/^(warren-|x-redriven-|x-original-|x-final-|x-retry-count$|MessageType$)/.test(name)
  )
}

const openBrace = '{'.charCodeAt(0)

/** Fields of an object, and those of objects in it. */
function countBody(message: IncomingMessage, count: Count): void {
  const body = joinBody(message.body)
  if (body[0] !== openBrace) return
  const value = parseExactJson(body.toString('utf8'))
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (!isNameable(name)) continue
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) count(`body.${name}`, inner)
    else
      for (const [part, each] of Object.entries(inner as object))
        if (isNameable(part)) count(`body.${name}.${part}`, each)
  }
}

/** A field is proposed to be typed, so it must be one that a filter can name. */
function isNameable(name: string): boolean {
  return /^[^\s"():=<>!.,]+$/.test(name)
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) || Buffer.isBuffer(value)
}

function cut(text: string): string {
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text
}

function countsOf([field, values]: [string, Map<string, number> | 'too-many']): readonly SplitCounts[] {
  return values === 'too-many' ? [] : [{ field, values: [...values] }]
}
