import { decodeShownFieldValue } from '../wire/decode-table.ts'
import type { FieldTable, FieldValue } from '../wire/field-value.ts'
import { encodeName, endOfValue, findValue } from '../wire/name-matcher.ts'
import { type EncodedHeaders, headerText, headerValue, integerOf, textOf } from './header-values.ts'

/** One entry of `x-death`: a queue, a reason, and how often the message left that queue for that reason. */
export interface Death {
  /** The queue that it left. */
  readonly queue: string
  /** `rejected`, `expired`, `maxlen` or `delivery_limit`; a newer broker may have others. */
  readonly reason: string
  /** How often, for this reason. */
  readonly count: number
  /** Of the first death of this queue and reason, in milliseconds since 1970, exact to the second. */
  readonly timeMs: number | undefined
  /** Where the message had been published before that first death. */
  readonly exchange: string | undefined
  /** The keys it had then, those of CC among them, but not of BCC. */
  readonly routingKeys: readonly string[]
  /** The `expiration` that the broker took off, in milliseconds as text; undefined: it had none. */
  readonly originalExpiration: string | undefined
}

/** Where and why a message died once. */
export interface DeathPlace {
  /** The queue that it left. */
  readonly queue: string
  /** `rejected`, `expired`, `maxlen` or `delivery_limit`; undefined if no header says so. */
  readonly reason: string | undefined
  /** Where it had been published before; undefined if no header says so. */
  readonly exchange: string | undefined
}

/** How often a message died, where, and why, as its headers tell. */
export interface DeathHistory {
  /** In the order of the header. Only the first entry is surely the newest on every version. */
  readonly deaths: readonly Death[]
  /** Where it died first; undefined if it never died. */
  readonly first: DeathPlace | undefined
  /** Where it died last; undefined if it never died. */
  readonly last: DeathPlace | undefined
  /** See `isCoherent`. */
  readonly isCoherent: boolean
}

export const noDeaths: DeathHistory = { deaths: [], first: undefined, last: undefined, isCoherent: false }

/**
 * The death history of a message. Whatever is not a death (anyone can send the header) is left out.
 * @example
 * ```ts
 * const { deaths } = readDeaths(headers)
 * ```
 */
export function readDeaths(headers: EncodedHeaders): DeathHistory {
  const deaths = readDeathEntries(headers)
  const { first, last } = readPlaces(headers)
  if (deaths.length === 0 && !first && !last) return noDeaths
  return {
    deaths,
    first: first ?? oldestOf(deaths),
    last: last ?? deaths[0],
    isCoherent: isAmong(deaths, first) && isAmong(deaths, last),
  }
}

/** Only the entries of `x-death`, for callers in a hurry. */
export function readDeathEntries(headers: EncodedHeaders): readonly Death[] {
  const header = headerValue(headers, 'x-death')
  return header?.type === 'A' ? header.value.flatMap(readDeath) : []
}

/** Where and why the message died last: `readDeaths(headers).last` without decoding the rest of the history. */
export function readLastDeath(headers: EncodedHeaders): DeathPlace | undefined {
  return readPlace(headers, 'x-last-death') ?? readNewestDeath(headers)
}

function readNewestDeath(headers: EncodedHeaders): Death | undefined {
  const at = headers === undefined ? -1 : findValue(headers, encodeName('x-death'))
  if (headers === undefined || at < 0 || headers[at] !== arrayTag) return undefined
  const end = endOfValue(headers, at)
  for (let itemAt = at + 5; itemAt < end; ) {
    const itemEnd = endOfValue(headers, itemAt)
    const [death] = readDeath(decodeShownFieldValue(headers.subarray(itemAt, itemEnd)))
    if (death) return death
    itemAt = itemEnd
  }
  return undefined
}

const arrayTag = 'A'.charCodeAt(0)

/** Whether `x-first-death-*` and `x-last-death-*` are there and name entries of `x-death`, as a broker writes them. */
export function isCoherent(headers: EncodedHeaders, deaths: readonly Death[]): boolean {
  const { first, last } = readPlaces(headers)
  return isAmong(deaths, first) && isAmong(deaths, last)
}

/** Where the message was first published, as far as its deaths tell. */
export function originalAddress(
  history: DeathHistory,
): { readonly exchange: string; readonly routingKey: string } | undefined {
  const { first, deaths } = history
  const death = deaths.find(({ queue, reason }) => queue === first?.queue && reason === first.reason)
  const [routingKey] = death?.routingKeys ?? []
  const exchange = death?.exchange ?? first?.exchange
  return exchange === undefined || routingKey === undefined ? undefined : { exchange, routingKey }
}

function readDeath(value: FieldValue): readonly Death[] {
  if (value.type !== 'F') return []
  const queue = textOf(fieldOf(value.value, 'queue'))
  const reason = textOf(fieldOf(value.value, 'reason'))
  if (queue === undefined || reason === undefined) return []
  return [
    {
      queue,
      reason,
      // Entries without a count are those of brokers before 3.5, which wrote one entry per death.
      count: integerOf(fieldOf(value.value, 'count')) ?? 1,
      timeMs: timeOf(fieldOf(value.value, 'time')),
      exchange: textOf(fieldOf(value.value, 'exchange')),
      routingKeys: textsOf(fieldOf(value.value, 'routing-keys')),
      originalExpiration: textOf(fieldOf(value.value, 'original-expiration')),
    },
  ]
}

function fieldOf(table: FieldTable, name: string): FieldValue | undefined {
  return table.find((entry) => entry.name === name)?.value
}

function textsOf(value: FieldValue | undefined): readonly string[] {
  return value?.type === 'A' ? value.value.map(textOf).filter((text) => text !== undefined) : []
}

function timeOf(value: FieldValue | undefined): number | undefined {
  const seconds = value?.type === 'T' ? Number(value.value) : integerOf(value)
  return seconds === undefined || seconds > lastDateSeconds ? undefined : seconds * 1000
}

/** The last second that a Date can hold. Anybody can send a later one. */
const lastDateSeconds = 8_640_000_000_000

function readPlaces(headers: EncodedHeaders): {
  first: DeathPlace | undefined
  last: DeathPlace | undefined
} {
  return { first: readPlace(headers, 'x-first-death'), last: readPlace(headers, 'x-last-death') }
}

function readPlace(
  headers: EncodedHeaders,
  prefix: 'x-first-death' | 'x-last-death',
): DeathPlace | undefined {
  const queue = headerText(headers, `${prefix}-queue`)
  if (queue === undefined) return undefined
  return {
    queue,
    reason: headerText(headers, `${prefix}-reason`),
    exchange: headerText(headers, `${prefix}-exchange`),
  }
}

// An entry keeps the time of its first death, so the earliest time is the first death of all. Of equal
// seconds the one further back in the list is taken.
function oldestOf(deaths: readonly Death[]): Death | undefined {
  return deaths.reduce<Death | undefined>(
    (oldest, death) => ((death.timeMs ?? 0) <= (oldest?.timeMs ?? Number.POSITIVE_INFINITY) ? death : oldest),
    undefined,
  )
}

function isAmong(deaths: readonly Death[], place: DeathPlace | undefined): boolean {
  return deaths.some(({ queue, reason }) => queue === place?.queue && reason === place.reason)
}
