import { WireError } from '../../errors.ts'
import { headerInteger } from '../../message/header-values.ts'
import {
  endOfValue,
  matchNames,
  type NameMatcher,
  readUint32,
  valueOfEntry,
} from '../../message/scan-headers.ts'
import { brokerHeaders } from '../../message/strip-broker-headers.ts'
import { warrenHeaders } from '../../message/warren-headers.ts'
import type { RawProperties } from '../../wire/properties.ts'
import { recoveryHeaders } from './recovery-headers.ts'
import { type Archive, archiveOf, fates, shortText, sizeOfArchive, writeArchive } from './redrive-archive.ts'

/** Gives the properties of a message that is put back; `extra` are encoded headers to end with. */
export type Splicer = (raw: RawProperties, extra: Buffer) => RawProperties

export interface SpliceRules {
  /** The encoded headers that are the same for all. */
  readonly audit: Buffer
  readonly attempts: 'reset' | 'continue'
  /** The layout's own header for the count. */
  readonly attemptsHeader: string | undefined
  /** The user that publishes: a `user-id` equal to it may stay, any other closes the channel. */
  readonly login: string | undefined
  /** The address that the message has in its headers goes: `extra` has the true one. */
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
  return (raw, extra) => {
    const places = findPlaces(raw)
    const isUserForeign = hasForeignUser(raw, places, login)
    const { tableAt, tableEnd } = places
    const table = tableEnd > tableAt ? raw.subarray(tableAt, tableEnd) : noTable
    const { marks, hasCount } = findLeaving(table, match)
    const archive = archiveFor({ raw, places, isUserForeign, table, marks })
    const kept = keptSpans(table, marks, archive !== undefined)
    const count = hasCount ? countBefore(table) + 1 : 1
    return assemble({ raw, places, isUserForeign, table, kept, archive, written, count, extra })
  }
}

const noTable = Buffer.alloc(0)

function hasForeignUser(raw: RawProperties, { userIdAt, userIdEnd }: Places, login?: Buffer): boolean {
  if (userIdEnd === userIdAt) return false
  return !login?.equals(raw.subarray(userIdAt + 1, userIdEnd))
}

function archiveFor(fields: {
  raw: RawProperties
  places: Places
  isUserForeign: boolean
  table: Buffer
  marks: readonly number[]
}): Archive | undefined {
  const { raw, places, isUserForeign, table, marks } = fields
  const { expirationAt, expirationEnd, userIdAt, userIdEnd } = places
  const hasExpiration = expirationEnd > expirationAt
  if (marks.length === 0 && !hasExpiration && !isUserForeign) return undefined
  return archiveOf({
    table,
    marks,
    expiration: hasExpiration ? raw.subarray(expirationAt + 1, expirationEnd) : undefined,
    userId: isUserForeign ? raw.subarray(userIdAt + 1, userIdEnd) : undefined,
  })
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

/** Start and end of each run of headers that stay. An older archive stays where nothing new is archived. */
function keptSpans(table: Buffer, marks: Leaving['marks'], hasArchive: boolean): readonly number[] {
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

/** Where in the properties the parts are that change. */
interface Places {
  readonly flags: number
  readonly headersAt: number
  readonly tableAt: number
  readonly tableEnd: number
  /** Behind the delivery mode. */
  readonly restAt: number
  readonly expirationAt: number
  readonly expirationEnd: number
  readonly userIdAt: number
  readonly userIdEnd: number
}

const flag = {
  contentType: 0x8000,
  contentEncoding: 0x4000,
  headers: 0x2000,
  deliveryMode: 0x1000,
  priority: 0x0800,
  correlationId: 0x0400,
  replyTo: 0x0200,
  expiration: 0x0100,
  messageId: 0x0080,
  timestamp: 0x0040,
  type: 0x0020,
  userId: 0x0010,
  appId: 0x0008,
  clusterId: 0x0004,
} as const

function findPlaces(raw: RawProperties): Places {
  const flags = (raw[0]! << 8) | raw[1]!
  const headersAt = endOfText(raw, flags & flag.contentEncoding, endOfText(raw, flags & flag.contentType, 2))
  const tableAt = flags & flag.headers ? headersAt + 4 : headersAt
  const tableEnd = flags & flag.headers ? tableAt + readUint32(raw, headersAt) : tableAt
  const restAt = tableEnd + (flags & flag.deliveryMode ? 1 : 0)
  const prioritised = restAt + (flags & flag.priority ? 1 : 0)
  const correlated = endOfText(raw, flags & flag.correlationId, prioritised)
  const expirationAt = endOfText(raw, flags & flag.replyTo, correlated)
  const expirationEnd = endOfText(raw, flags & flag.expiration, expirationAt)
  const timed = endOfText(raw, flags & flag.messageId, expirationEnd) + (flags & flag.timestamp ? 8 : 0)
  const userIdAt = endOfText(raw, flags & flag.type, timed)
  const userIdEnd = endOfText(raw, flags & flag.userId, userIdAt)
  const end = endOfText(raw, flags & flag.clusterId, endOfText(raw, flags & flag.appId, userIdEnd))
  // A length that points behind the last byte ends up here as well, as a number too large or none at all.
  if (end !== raw.length || flags & 3) throw notReadable()
  return {
    flags,
    headersAt,
    tableAt,
    tableEnd,
    restAt,
    expirationAt,
    expirationEnd,
    userIdAt,
    userIdEnd,
  }
}

function endOfText(raw: RawProperties, isSet: number, at: number): number {
  return isSet ? at + 1 + raw[at]! : at
}

function notReadable(): WireError {
  const detail = 'The properties of a message do not end where their flags say'
  return new WireError({ code: 'WIRE_TRUNCATED', detail, offset: 0 })
}

const persistent = 2

function assemble(parts: {
  raw: RawProperties
  places: Places
  isUserForeign: boolean
  table: Buffer
  kept: readonly number[]
  archive: Archive | undefined
  written: Buffer
  count: number
  extra: Buffer
}): RawProperties {
  const { raw, places, isUserForeign, table, kept, archive, written, count, extra } = parts
  let headersSize = sizeOfArchive(archive) + written.length + 4 + extra.length
  for (let index = 0; index < kept.length; index += 2) headersSize += kept[index + 1]! - kept[index]!
  const { headersAt, restAt, expirationAt, expirationEnd, userIdAt, userIdEnd } = places
  const userIdSize = isUserForeign ? userIdEnd - userIdAt : 0
  const restSize = raw.length - restAt - (expirationEnd - expirationAt) - userIdSize
  const bytes = Buffer.allocUnsafe(headersAt + 4 + headersSize + 1 + restSize)
  const without = flag.expiration | (isUserForeign ? flag.userId : 0)
  const flags = (places.flags | flag.headers | flag.deliveryMode) & ~without
  bytes[0] = flags >>> 8
  bytes[1] = flags
  let at = copySpan(raw, 2, headersAt, bytes, 2)
  at = writeUint32(bytes, at, headersSize)
  for (let index = 0; index < kept.length; index += 2)
    at = copySpan(table, kept[index]!, kept[index + 1]!, bytes, at)
  if (archive) at = writeArchive(bytes, at, { archive, table })
  bytes.set(written, at)
  at = writeUint32(bytes, at + written.length, count)
  at = copySpan(extra, 0, extra.length, bytes, at)
  bytes[at] = persistent
  at = copySpan(raw, restAt, expirationAt, bytes, at + 1)
  at = copySpan(raw, expirationEnd, isUserForeign ? userIdAt : raw.length, bytes, at)
  if (isUserForeign) copySpan(raw, userIdEnd, raw.length, bytes, at)
  return bytes
}

const shortSpan = 128

/** Copies bytes and returns the offset behind them. A call into the engine costs more than a short span itself. */
function copySpan(from: Buffer, start: number, end: number, to: Buffer, at: number): number {
  if (end - start > shortSpan) return at + from.copy(to, at, start, end)
  for (let index = start; index < end; index += 1) to[at + index - start] = from[index]!
  return at + end - start
}

function writeUint32(bytes: Buffer, at: number, value: number): number {
  bytes[at] = value >>> 24
  bytes[at + 1] = value >>> 16
  bytes[at + 2] = value >>> 8
  bytes[at + 3] = value
  return at + 4
}
