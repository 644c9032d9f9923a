import { WireError } from '../errors.ts'
import { headerInteger } from '../message/header-values.ts'
import {
  endOfValue,
  matchNames,
  type NameMatcher,
  readUint32,
  valueOfEntry,
} from '../message/scan-headers.ts'
import { brokerHeaders } from '../message/strip-broker-headers.ts'
import { warrenHeaders } from '../message/warren-headers.ts'
import type { RawProperties } from '../wire/properties.ts'
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
}

/**
 * Writes the properties of a re-driven message in one walk over the old ones: what stays is copied and nothing
 * is decoded, because a dead-letter queue has a hundred thousand of them. What a broker would believe or obey
 * goes into an archive header, as `stripBrokerHeaders` does it.
 */
export function createSplicer(rules: SpliceRules): Splicer {
  const match = matchLeaving(rules)
  const login = rules.login === undefined ? undefined : Buffer.from(rules.login)
  return (raw, extra) => {
    const places = findPlaces(raw)
    const isUserForeign =
      places.userIdEnd > places.userIdAt &&
      !isLogin(raw.subarray(places.userIdAt + 1, places.userIdEnd), login)
    const table = raw.subarray(places.tableAt, places.tableEnd)
    const leaving = findLeaving(table, match)
    const { expirationAt, expirationEnd, userIdAt, userIdEnd } = places
    const archive = archiveOf({
      ...{ table, marks: leaving.marks },
      expiration: expirationEnd > expirationAt ? raw.subarray(expirationAt + 1, expirationEnd) : undefined,
      userId: isUserForeign ? raw.subarray(userIdAt + 1, userIdEnd) : undefined,
    })
    const kept = keptSpans(table, leaving, archive !== undefined)
    const count = leaving.hasCount ? countBefore(table) + 1 : 1
    return assemble({ raw, places, isUserForeign, table, kept, archive, audit: rules.audit, count, extra })
  }
}

function countBefore(table: Buffer): number {
  return Math.min(headerInteger(table, recoveryHeaders.redriveCount) ?? 0, mostCounted)
}

const mostCounted = 0x7ffffffe

function isLogin(userId: Buffer, login: Buffer | undefined): boolean {
  return login?.equals(userId) ?? false
}

function matchLeaving({ attempts, attemptsHeader }: SpliceRules): NameMatcher {
  const { redriveCount, previous: _, ...written } = recoveryHeaders
  const counters = [warrenHeaders.attempts, warrenHeaders.retryCount]
  const dropped = [
    ...Object.values(written),
    warrenHeaders.deathsSeen,
    ...(attempts === 'reset' ? counters : []),
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
function keptSpans(table: Buffer, { marks }: Leaving, hasArchive: boolean): readonly number[] {
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
  const textEnd = (name: number, at: number): number => (flags & name ? at + 1 + raw[at]! : at)
  const headersAt = textEnd(flag.contentEncoding, textEnd(flag.contentType, 2))
  const tableAt = flags & flag.headers ? headersAt + 4 : headersAt
  const tableEnd = flags & flag.headers ? tableAt + readUint32(raw, headersAt) : tableAt
  const restAt = tableEnd + (flags & flag.deliveryMode ? 1 : 0)
  const prioritised = restAt + (flags & flag.priority ? 1 : 0)
  const expirationAt = textEnd(flag.replyTo, textEnd(flag.correlationId, prioritised))
  const expirationEnd = textEnd(flag.expiration, expirationAt)
  const timed = textEnd(flag.messageId, expirationEnd) + (flags & flag.timestamp ? 8 : 0)
  const userIdAt = textEnd(flag.type, timed)
  const userIdEnd = textEnd(flag.userId, userIdAt)
  // A length that points behind the last byte ends up here as well, as a number too large or none at all.
  if (textEnd(flag.clusterId, textEnd(flag.appId, userIdEnd)) !== raw.length || flags & 3) throw notReadable()
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
  audit: Buffer
  count: number
  extra: Buffer
}): RawProperties {
  const { raw, places, isUserForeign, table, kept, archive, audit, count, extra } = parts
  let headersSize = sizeOfArchive(archive) + audit.length + countStart.length + 4 + extra.length
  for (let index = 0; index < kept.length; index += 2) headersSize += kept[index + 1]! - kept[index]!
  const { restAt, expirationAt, expirationEnd, userIdAt, userIdEnd } = places
  const userIdSize = isUserForeign ? userIdEnd - userIdAt : 0
  const restSize = raw.length - restAt - (expirationEnd - expirationAt) - userIdSize
  const bytes = Buffer.allocUnsafe(places.headersAt + 4 + headersSize + 1 + restSize)
  const without = flag.expiration | (isUserForeign ? flag.userId : 0)
  let at = bytes.writeUInt16BE((places.flags | flag.headers | flag.deliveryMode) & ~without, 0)
  if (places.headersAt > 2) at += raw.copy(bytes, at, 2, places.headersAt)
  at = bytes.writeUInt32BE(headersSize, at)
  for (let index = 0; index < kept.length; index += 2)
    at += table.copy(bytes, at, kept[index], kept[index + 1])
  if (archive) at = writeArchive(bytes, at, { archive, table })
  at += audit.copy(bytes, at)
  at += countStart.copy(bytes, at)
  at = bytes.writeInt32BE(count, at)
  if (extra.length > 0) at += extra.copy(bytes, at)
  bytes[at] = persistent
  at += 1
  at += raw.copy(bytes, at, restAt, expirationAt)
  at += raw.copy(bytes, at, expirationEnd, isUserForeign ? userIdAt : raw.length)
  if (isUserForeign) raw.copy(bytes, at, userIdEnd)
  return bytes
}
