import { endOfValue, valueOfEntry } from '../wire/name-matcher.ts'
import { copySpan, writeUint32 } from '../wire/splice-properties.ts'
import { warrenHeaders } from './warren-headers.ts'

/**
 * What becomes of a header that does not just stay. Marks are start, end and fate of each, one after the other.
 */
export const fates = { strip: 0, drop: 1, archive: 2, count: 3 } as const

/** What is taken off a message and kept in one header of ours, byte for byte: entries of an older one, headers of the table, and properties. */
export interface HeaderArchive {
  readonly size: number
  readonly older: readonly Buffer[]
  /** Start and end of each header. */
  readonly stripped: readonly number[]
  readonly properties: readonly Buffer[]
}

/** Undefined where nothing is taken off. */
export function archiveOf(fields: {
  table: Buffer
  marks: readonly number[]
  expiration: Buffer | undefined
  userId: Buffer | undefined
}): HeaderArchive | undefined {
  const { table, marks, expiration, userId } = fields
  if (marks.length === 0 && !expiration && !userId) return undefined
  const stripped = strippedSpans(marks)
  const properties: Buffer[] = []
  if (expiration) properties.push(textEntry(expirationName, expiration))
  if (userId) properties.push(textEntry(userIdName, userId))
  if (stripped.length === 0 && properties.length === 0) return undefined
  const older = olderEntries({ table, marks, stripped, properties })
  let size = 0
  for (let index = 0; index < stripped.length; index += 2) size += stripped[index + 1]! - stripped[index]!
  for (const entry of older) size += entry.length
  for (const entry of properties) size += entry.length
  return { size, older, stripped, properties }
}

function strippedSpans(marks: readonly number[]): readonly number[] {
  const spans: number[] = []
  for (let index = 0; index < marks.length; index += 3) {
    if (marks[index + 2] === fates.strip) spans.push(marks[index]!, marks[index + 1]!)
  }
  return spans
}

const nothing: readonly Buffer[] = []

/** A message may go round many times; per name the newest is kept, so the archive cannot grow without end. */
function olderEntries(fields: {
  table: Buffer
  marks: readonly number[]
  stripped: readonly number[]
  properties: readonly Buffer[]
}): readonly Buffer[] {
  const { table, marks, stripped, properties } = fields
  let at = 0
  while (at < marks.length && marks[at + 2] !== fates.archive) at += 3
  if (at === marks.length) return nothing
  const older = table.subarray(marks[at], marks[at + 1])
  const valueAt = valueOfEntry(older, 0)
  if (older[valueAt] !== tableTag) return nothing
  const names = new Set(properties.map((entry) => nameOf(entry, 0)))
  for (let index = 0; index < stripped.length; index += 2) names.add(nameOf(table, stripped[index]!))
  return entriesBut(older.subarray(valueAt + 5), names)
}

function entriesBut(table: Buffer, names: ReadonlySet<string>): readonly Buffer[] {
  const entries: Buffer[] = []
  for (let at = 0; at < table.length; ) {
    const end = endOfValue(table, valueOfEntry(table, at))
    if (!names.has(nameOf(table, at))) entries.push(table.subarray(at, end))
    at = end
  }
  return entries
}

/** The name of the entry at `at`, for comparing; each byte is a character. */
export function nameOf(table: Buffer, at: number): string {
  return table.toString('latin1', at + 1, valueOfEntry(table, at))
}

const stringTag = 'S'.charCodeAt(0)
const tableTag = 'F'.charCodeAt(0)
const archiveName = shortText(warrenHeaders.stripped)
const expirationName = shortText('expiration')
const userIdName = shortText('user-id')

/** The bytes that `writeArchive` writes. */
export function sizeOfArchive(archive: HeaderArchive | undefined): number {
  return archive ? archiveName.length + 5 + archive.size : 0
}

function textEntry(name: Buffer, text: Buffer): Buffer {
  const entry = Buffer.allocUnsafe(name.length + 5 + text.length)
  text.copy(entry, writeStart({ bytes: entry, at: 0, name, tag: stringTag, size: text.length }))
  return entry
}

/** Name, type and length of an entry that has one. */
function writeStart(fields: { bytes: Buffer; at: number; name: Buffer; tag: number; size: number }): number {
  const { bytes, at, name, tag, size } = fields
  const tagAt = copySpan(name, 0, name.length, bytes, at)
  bytes[tagAt] = tag
  return writeUint32(bytes, tagAt + 1, size)
}

/** Writes the archive header and returns the offset behind it. */
export function writeArchive(
  bytes: Buffer,
  at: number,
  fields: { archive: HeaderArchive; table: Buffer },
): number {
  const { archive, table } = fields
  const { size, older, stripped, properties } = archive
  let next = writeStart({ bytes, at, name: archiveName, tag: tableTag, size })
  for (const entry of older) next += entry.copy(bytes, next)
  for (let index = 0; index < stripped.length; index += 2)
    next = copySpan(table, stripped[index]!, stripped[index + 1]!, bytes, next)
  for (const entry of properties) next = copySpan(entry, 0, entry.length, bytes, next)
  return next
}

/** A short string with its length; of ASCII only. */
export function shortText(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])
}
