import { WireError } from '../../errors.ts'
import { shortText } from '../../message/header-archive.ts'
import { headerText } from '../../message/header-values.ts'
import { type DeathAddress, isHop } from '../../message/is-hop.ts'
import { warrenHeaders } from '../../message/warren-headers.ts'
import {
  endOfValue,
  matchNames,
  type NameMatcher,
  readUint32,
  valueOfEntry,
} from '../../wire/name-matcher.ts'

/** Headers, encoded, that say where a message was first published. */
export interface KeptAddress {
  readonly entries: Buffer
  /** Headers of the same names are there, and are not true. */
  readonly isReplacing: boolean
}

/**
 * The death history of a message is removed when it is put back, and through the default exchange its consumers see
 * the name of their queue as the key; so headers keep its address. Nothing is added if the broker does not say it, or
 * says less than the headers already do (`isHop`). By offsets, because a re-drive does this for every message.
 */
export function keepAddress(headers: Buffer): KeptAddress {
  const first = findFirst(headers)
  if (!first) return none
  if (!first.isWritten) return { entries: entriesOf(headers, first), isReplacing: false }
  const isPair =
    headerText(headers, warrenHeaders.originalExchange) !== undefined &&
    headerText(headers, warrenHeaders.originalRoutingKey) !== undefined
  if (isPair && isHop(textsOf(headers, first), headers)) return none
  return { entries: entriesOf(headers, first), isReplacing: true }
}

/** The same as text, with the death that tells it. Undefined also if only the whole history could tell. */
export function readFirstAddress(headers: Buffer): DeathAddress | undefined {
  const first = findFirst(headers)
  return first && textsOf(headers, first)
}

/** Where the values of the first death are. */
interface FirstDeath {
  readonly queue: number
  readonly reason: number
  readonly exchange: number
  readonly key: number
  /** The message has one of the headers in which an address is kept. */
  readonly isWritten: boolean
}

function findFirst(headers: Buffer): FirstDeath | undefined {
  try {
    return readFirst(headers)
  } catch (error) {
    if (error instanceof WireError) return undefined
    throw error
  }
}

function readFirst(headers: Buffer): FirstDeath | undefined {
  const places = findPlaces(headers, { from: 0, to: headers.length, match: matchHeader })
  const [originalExchange, originalKey, deaths, queue, reason, firstExchange] = places
  if (deaths! < 0 || headers[deaths!] !== arrayTag) return undefined
  const end = endOfValue(headers, deaths!)
  for (let at = deaths! + valueStart; at < end; at = endOfValue(headers, at)) {
    if (headers[at] !== tableTag) continue
    const death = findPlaces(headers, {
      from: at + valueStart,
      to: endOfValue(headers, at),
      match: matchDeath,
    })
    const [diedIn, diedOf, diedExchange, keys] = death
    if (!isSameText(headers, diedIn!, queue!) || !isSameText(headers, diedOf!, reason!)) continue
    const exchange = diedExchange! < 0 ? firstExchange! : diedExchange!
    const key = firstKey(headers, keys!)
    if (exchange < 0 || key < 0 || !isName(headers, exchange) || !isName(headers, key)) return undefined
    const isWritten = originalExchange! >= 0 || originalKey! >= 0
    return { queue: diedIn!, reason: diedOf!, exchange, key, isWritten }
  }
  return undefined
}

function textsOf(headers: Buffer, { queue, reason, exchange, key }: FirstDeath): DeathAddress {
  const textAt = (at: number): string => headers.toString('utf8', at + valueStart, endOfValue(headers, at))
  return { queue: textAt(queue), reason: textAt(reason), exchange: textAt(exchange), key: textAt(key) }
}

const none: KeptAddress = { entries: Buffer.alloc(0), isReplacing: false }
const [arrayTag, tableTag, textTag] = Buffer.from('AFS')
/** Behind the tag and the length. */
const valueStart = 5

const matchHeader = matchEach([
  warrenHeaders.originalExchange,
  warrenHeaders.originalRoutingKey,
  'x-death',
  'x-first-death-queue',
  'x-first-death-reason',
  'x-first-death-exchange',
])
const matchDeath = matchEach(['queue', 'reason', 'exchange', 'routing-keys'])

interface KnownNames {
  readonly count: number
  readonly match: NameMatcher
}

function matchEach(names: readonly string[]): KnownNames {
  return {
    count: names.length,
    match: matchNames({ names: new Map(names.map((name, index) => [name, index])) }),
  }
}

/** Per name the offset of its value, or -1. */
function findPlaces(
  table: Buffer,
  { from, to, match: { count, match } }: { from: number; to: number; match: KnownNames },
): readonly number[] {
  const places = new Array<number>(count).fill(-1)
  for (let at = from; at < to; ) {
    const valueAt = valueOfEntry(table, at)
    const found = match(table, at)
    if (found >= 0 && places[found]! < 0) places[found] = valueAt
    at = endOfValue(table, valueAt)
  }
  return places
}

function isSameText(table: Buffer, left: number, right: number): boolean {
  if (left < 0 || right < 0 || table[left] !== textTag) return false
  return table.compare(table, left, endOfValue(table, left), right, endOfValue(table, right)) === 0
}

/** AMQP has no longer key and no longer name of an exchange. */
const longestName = 255

function firstKey(headers: Buffer, keys: number): number {
  return keys < 0 || headers[keys] !== arrayTag || readUint32(headers, keys + 1) === 0
    ? -1
    : keys + valueStart
}

function entriesOf(headers: Buffer, { exchange, key }: FirstDeath): Buffer {
  return Buffer.concat([
    exchangeName,
    headers.subarray(exchange, endOfValue(headers, exchange)),
    keyName,
    headers.subarray(key, endOfValue(headers, key)),
  ])
}

const exchangeName = shortText(warrenHeaders.originalExchange)
const keyName = shortText(warrenHeaders.originalRoutingKey)

function isName(headers: Buffer, at: number): boolean {
  return headers[at] === textTag && readUint32(headers, at + 1) <= longestName
}
