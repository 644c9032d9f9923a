import { WireError } from '../errors.ts'
import { fixedFieldSizes } from './field-value.ts'
import { bytesOfText } from './short-text.ts'

/**
 * Reading encoded header tables by offsets, without decoding what is not wanted: a re-drive does it for every
 * message. An entry is a length byte, the name, a type tag and the value.
 */

const sized = -1
const unknown = -2
const sizeByTag = new Int8Array(256).fill(unknown)
for (const [tag, size] of Object.entries(fixedFieldSizes)) sizeByTag[tag.charCodeAt(0)] = size
for (const tag of Buffer.from('SxAF')) sizeByTag[tag] = sized

/** Where the value of the entry at `at` begins, at its type tag. */
export function valueOfEntry(table: Buffer, at: number): number {
  return at + 1 + table[at]!
}

/** Where the value at `at` ends. Throws a WireError where the table is cut short or has an unknown type. */
export function endOfValue(table: Buffer, at: number): number {
  if (at >= table.length) throw truncated(table.length)
  let size = sizeByTag[table[at]!]!
  if (size === sized) size = at + 5 > table.length ? table.length : 4 + readUint32(table, at + 1)
  else if (size === unknown) throw unknownTag(table, at)
  const end = at + 1 + size
  if (end > table.length) throw truncated(at)
  return end
}

/** The offset of a header's value, or -1. `name` comes from `encodeName`. */
export function findValue(table: Buffer, name: Buffer): number {
  for (let at = 0; at < table.length; ) {
    const valueAt = valueOfEntry(table, at)
    if (table[at] === name.length && isAt(table, at + 1, name)) return valueAt
    at = endOfValue(table, valueAt)
  }
  return -1
}

/** Do these bytes stand at `at`? */
export function isAt(table: Buffer, at: number, bytes: Buffer): boolean {
  // From the end: the names of brokers and frameworks begin alike and end apart.
  for (let index = bytes.length - 1; index >= 0; index -= 1) {
    if (table[at + index] !== bytes[index]) return false
  }
  return true
}

/** Tells for the entry at `at` which of the known names it has; -1 for any other. */
export type NameMatcher = (table: Buffer, at: number) => number

export interface KnownNames {
  /** The answer for each name. */
  readonly names: ReadonlyMap<string, number>
  /** The answer for names that begin so; asked after `names`. */
  readonly prefixes?: ReadonlyMap<string, number>
}

/** Compares bytes by length, so that a header of no interest is passed over with one look. */
export function matchNames({ names, prefixes = new Map() }: KnownNames): NameMatcher {
  const byLength: { readonly bytes: Buffer; readonly answer: number }[][] = Array.from(
    { length: 256 },
    () => [],
  )
  for (const [name, answer] of names) {
    const bytes = encodeName(name)
    byLength[bytes.length]?.push({ bytes, answer })
  }
  const beginnings = [...prefixes].map(([prefix, answer]) => ({ bytes: Buffer.from(prefix), answer }))
  return (table, at) => {
    const length = table[at]!
    for (const { bytes, answer } of byLength[length]!) if (isAt(table, at + 1, bytes)) return answer
    for (const { bytes, answer } of beginnings) {
      if (length >= bytes.length && isAt(table, at + 1, bytes)) return answer
    }
    return -1
  }
}

const mostNames = 256
const namesSeen = new Map<string, Buffer>()

/** The bytes of a name, kept: the same few names are looked for in every message. */
export function encodeName(name: string): Buffer {
  let bytes = namesSeen.get(name)
  if (bytes) return bytes
  if (namesSeen.size >= mostNames) namesSeen.clear()
  bytes = bytesOfText(name)
  namesSeen.set(name, bytes)
  return bytes
}

export function readUint32(bytes: Buffer, at: number): number {
  return bytes[at]! * 0x1000000 + ((bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!)
}

function truncated(at: number): WireError {
  return new WireError({
    code: 'WIRE_TRUNCATED',
    detail: 'A field table ends in the middle of an entry',
    offset: at,
  })
}

function unknownTag(table: Buffer, at: number): WireError {
  const tag = JSON.stringify(String.fromCharCode(table[at]!))
  return new WireError({ code: 'WIRE_UNKNOWN_TAG', detail: `Unknown field type ${tag}`, offset: at })
}
