import {
  archiveOf,
  fates,
  type HeaderArchive,
  shortText,
  sizeOfArchive,
  writeArchive,
} from '../../message/header-archive.ts'
import { headerInteger } from '../../message/header-values.ts'
import { brokerHeaders } from '../../message/strip-broker-headers.ts'
import { warrenHeaders } from '../../message/warren-headers.ts'
import { endOfValue, matchNames, type NameMatcher, valueOfEntry } from '../../wire/name-matcher.ts'
import type { RawProperties } from '../../wire/properties.ts'
import {
  copySpan,
  indexOfProperty,
  locateProperties,
  type PropertyPlaces,
  propertyNames,
  spliceProperties,
  type WrittenTable,
  writeUint32,
} from '../../wire/splice-properties.ts'
import { recoveryHeaders } from './recovery-headers.ts'

/** Gives the properties of a message that is put back; `added` are encoded headers to end with. */
export type Splicer = (raw: RawProperties, added: Buffer) => RawProperties

export interface SpliceRules {
  /** The encoded headers that are the same for all. */
  readonly audit: Buffer
  readonly attempts: 'reset' | 'continue'
  /** The layout's own header for the count. */
  readonly attemptsHeader: string | undefined
  /** The user that publishes: a `user-id` equal to it may stay, any other closes the channel. */
  readonly login: string | undefined
  /** The address that the message has in its headers goes: `added` has the true one. */
  readonly replacesAddress: boolean
}

/**
 * Writes the properties of a re-driven message in one walk over the old ones: what stays is copied and nothing
 * is decoded, because a dead-letter queue has a hundred thousand of them. What a broker would believe or obey
 * goes into an archive header, as `stripBrokerHeaders` does it.
 */
export function createSplicer(rules: SpliceRules): Splicer {
  const match = matchLeaving(rules)
  const login = rules.login === undefined ? undefined : Buffer.from(rules.login)
  const written = Buffer.concat([rules.audit, countStart])
  return (raw, added) => {
    const places = locateProperties(raw)
    const table = headersOf(raw, places)
    const { marks, hasCount } = findLeaving(table, match)
    const expiration = textAt(raw, places, indexOfProperty.expiration)
    const userId = textAt(raw, places, indexOfProperty.userId)
    const foreignUser = userId && login?.equals(userId) ? undefined : userId
    const archive = archiveOf({ table, marks, expiration, userId: foreignUser })
    const kept = keptSpans(table, marks, archive !== undefined)
    const count = hasCount ? countBefore(table) + 1 : 1
    return spliceProperties(raw, places, {
      values: foreignUser ? withoutUser : withUser,
      headers: writtenHeaders({ table, kept, archive, written, count, added }),
    })
  }
}

const headersAt = indexOfProperty.headers

/** Every re-driven message is persistent and has no expiration. */
const withUser: (Buffer | undefined)[] = propertyNames.map((name) => {
  if (name === 'deliveryMode') return Buffer.from([2])
  return name === 'expiration' ? Buffer.alloc(0) : undefined
})
const withoutUser = withUser.with(indexOfProperty.userId, Buffer.alloc(0))

const noHeaders = Buffer.alloc(0)

/** Without its length. A view costs more than all that is done with a message that has no headers. */
function headersOf(raw: RawProperties, places: PropertyPlaces): Buffer {
  const start = places[headersAt]!
  const end = places[headersAt + 1]!
  return end > start ? raw.subarray(start + 4, end) : noHeaders
}

function textAt(raw: RawProperties, places: PropertyPlaces, index: number): Buffer | undefined {
  const start = places[index]!
  const end = places[index + 1]!
  return end > start ? raw.subarray(start + 1, end) : undefined
}

function writtenHeaders(parts: {
  table: Buffer
  kept: readonly number[]
  archive: HeaderArchive | undefined
  written: Buffer
  count: number
  added: Buffer
}): WrittenTable {
  const { table, kept, archive, written, count, added } = parts
  let size = sizeOfArchive(archive) + written.length + 4 + added.length
  for (let index = 0; index < kept.length; index += 2) size += kept[index + 1]! - kept[index]!
  const write = (bytes: Buffer, start: number): number => {
    let at = writeUint32(bytes, start, size)
    for (let index = 0; index < kept.length; index += 2)
      at = copySpan(table, kept[index]!, kept[index + 1]!, bytes, at)
    if (archive) at = writeArchive(bytes, at, { archive, table })
    bytes.set(written, at)
    at = writeUint32(bytes, at + written.length, count)
    return copySpan(added, 0, added.length, bytes, at)
  }
  return { length: 4 + size, write }
}

function countBefore(table: Buffer): number {
  return Math.min(headerInteger(table, recoveryHeaders.redriveCount) ?? 0, mostCounted)
}

const mostCounted = 0x7ffffffe

function matchLeaving({ attempts, attemptsHeader, replacesAddress }: SpliceRules): NameMatcher {
  const { redriveCount, previous: _, ...written } = recoveryHeaders
  const counters = [warrenHeaders.attempts, warrenHeaders.retryCount]
  const address = [warrenHeaders.originalExchange, warrenHeaders.originalRoutingKey]
  const dropped = [
    ...Object.values(written),
    warrenHeaders.deathsSeen,
    ...(attempts === 'reset' ? counters : []),
    ...(replacesAddress ? address : []),
    ...(attemptsHeader === undefined ? [] : [attemptsHeader]),
  ]
  return matchNames({
    names: new Map<string, number>([
      ...brokerHeaders.names.map((name) => [name, fates.strip] as const),
      ...dropped.map((name) => [name, fates.drop] as const),
      [warrenHeaders.stripped, fates.archive],
      [redriveCount, fates.count],
    ]),
    prefixes: new Map(brokerHeaders.prefixes.map((prefix) => [prefix, fates.strip])),
  })
}

interface Leaving {
  /** Start, end and fate of each, one after the other. */
  readonly marks: readonly number[]
  readonly hasCount: boolean
}

const nothingLeaves: Leaving = { marks: [], hasCount: false }

function findLeaving(table: Buffer, match: NameMatcher): Leaving {
  if (table.length === 0) return nothingLeaves
  const marks: number[] = []
  let hasCount = false
  for (let at = 0; at < table.length; ) {
    const fate = match(table, at)
    const end = endOfValue(table, valueOfEntry(table, at))
    if (fate >= 0) marks.push(at, end, fate)
    if (fate === fates.count) hasCount = true
    at = end
  }
  return marks.length === 0 ? nothingLeaves : { marks, hasCount }
}

const noSpans: readonly number[] = []

/** Start and end of each run of headers that stay. An older archive stays if nothing new is archived. */
function keptSpans(table: Buffer, marks: Leaving['marks'], hasArchive: boolean): readonly number[] {
  if (table.length === 0) return noSpans
  const spans: number[] = []
  let from = 0
  for (let index = 0; index < marks.length; index += 3) {
    if (marks[index + 2] === fates.archive && !hasArchive) continue
    if (marks[index]! > from) spans.push(from, marks[index]!)
    from = marks[index + 1]!
  }
  if (table.length > from) spans.push(from, table.length)
  return spans
}

const integerTag = 'I'.charCodeAt(0)
/** Everything of the count but its four bytes. */
const countStart = Buffer.concat([shortText(recoveryHeaders.redriveCount), Buffer.from([integerTag])])
