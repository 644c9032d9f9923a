import { WireError, type WireErrorCode } from '../errors.ts'
import type { FieldContent, FieldEntry, FieldTable, FieldValue } from './field-value.ts'
import { isEscaped, readShortText, textOfUtf8 } from './short-text.ts'

/** Tables inside tables beyond this are refused: RabbitMQ's own go three deep, and a stack is finite. */
export const maxNesting = 64

/** Decodes the content of a field table (the bytes after its 32-bit length). */
export function decodeTable(bytes: Buffer): FieldTable {
  return readEntries({ bytes, at: 0, end: bytes.length, depth: 0, tooDeep: 'refuse' })
}

/**
 * The same for who only shows it: RabbitMQ takes tables of any depth, and nobody should be kept from seeing a message
 * by them. What lies too deep is given as its bytes, and is written again as it was.
 * @example
 * ```ts
 * const table = decodeShownTable(bytes)
 * ```
 */
export function decodeShownTable(bytes: Buffer): FieldTable {
  return readEntries({ bytes, at: 0, end: bytes.length, depth: 0, tooDeep: 'as-bytes' })
}

/** Decodes one tagged value that fills `bytes` exactly. */
export function decodeFieldValue(bytes: Buffer): FieldValue {
  return readWhole({ bytes, at: 0, end: bytes.length, depth: 0, tooDeep: 'refuse' })
}

/** The same for who reads it to decide or to show: as `decodeShownTable` does. */
export function decodeShownFieldValue(bytes: Buffer): FieldValue {
  return readWhole({ bytes, at: 0, end: bytes.length, depth: 0, tooDeep: 'as-bytes' })
}

function readWhole(cursor: Cursor): FieldValue {
  const value = readValue(cursor)
  if (cursor.at !== cursor.end) fail(cursor, 'WIRE_TRAILING_BYTES', 'Bytes follow the field value')
  return value
}

interface Cursor {
  readonly bytes: Buffer
  at: number
  end: number
  depth: number
  readonly tooDeep: 'refuse' | 'as-bytes'
}

function readEntries(cursor: Cursor): FieldTable {
  const entries: FieldEntry[] = []
  while (cursor.at < cursor.end) {
    const nameLength = cursor.bytes[take(cursor, 1)]!
    const start = take(cursor, nameLength)
    const end = cursor.at
    const name = readShortText(cursor.bytes, start, end)
    const value = readValue(cursor)
    entries.push(
      isEscaped(name) ? { name, nameBytes: cursor.bytes.subarray(start, end), value } : { name, value },
    )
  }
  return entries
}

function readValue(cursor: Cursor): FieldValue {
  const start = take(cursor, 1)
  const tag = String.fromCharCode(cursor.bytes[start]!)
  const content = readContent(cursor, tag)
  return isCanonical(cursor, start, content)
    ? content
    : { ...content, raw: cursor.bytes.subarray(start, cursor.at) }
}

function readContent(cursor: Cursor, tag: string): FieldContent {
  const { bytes } = cursor
  switch (tag) {
    case 't':
      return { type: 't', value: bytes[take(cursor, 1)] !== 0 }
    case 'b':
      return { type: 'b', value: bytes.readInt8(take(cursor, 1)) }
    case 'B':
      return { type: 'B', value: bytes[take(cursor, 1)]! }
    case 's':
      return { type: 's', value: bytes.readInt16BE(take(cursor, 2)) }
    case 'u':
      return { type: 'u', value: bytes.readUInt16BE(take(cursor, 2)) }
    case 'I':
      return { type: 'I', value: bytes.readInt32BE(take(cursor, 4)) }
    case 'i':
      return { type: 'i', value: bytes.readUInt32BE(take(cursor, 4)) }
    case 'l':
      return { type: 'l', value: bytes.readBigInt64BE(take(cursor, 8)) }
    case 'T':
      return { type: 'T', value: bytes.readBigUInt64BE(take(cursor, 8)) }
    case 'f':
      return { type: 'f', value: bytes.readFloatBE(take(cursor, 4)) }
    case 'd':
      return { type: 'd', value: bytes.readDoubleBE(take(cursor, 8)) }
    case 'D': {
      const at = take(cursor, 5)
      return { type: 'D', value: { scale: bytes[at]!, unscaled: bytes.readUInt32BE(at + 1) } }
    }
    case 'V':
      return { type: 'V', value: null }
    default:
      return readSizedContent(cursor, tag)
  }
}

function readSizedContent(cursor: Cursor, tag: string): FieldContent {
  if (tag !== 'S' && tag !== 'x' && tag !== 'A' && tag !== 'F') {
    cursor.at -= 1
    fail(cursor, 'WIRE_UNKNOWN_TAG', `Unknown field type ${JSON.stringify(tag)}`)
  }
  const length = cursor.bytes.readUInt32BE(take(cursor, 4))
  const start = take(cursor, length)
  if (tag === 'x') return { type: 'x', value: cursor.bytes.subarray(start, cursor.at) }
  if (tag === 'S') {
    const text = textOfUtf8(cursor.bytes, start, cursor.at)
    return { type: 'S', value: text ?? cursor.bytes.subarray(start, cursor.at) }
  }
  if (cursor.depth + 1 > maxNesting) {
    if (cursor.tooDeep === 'as-bytes') return { type: 'x', value: cursor.bytes.subarray(start, cursor.at) }
    fail(cursor, 'WIRE_TOO_DEEP', `Field tables are nested more than ${maxNesting} deep`)
  }
  const inner: Cursor = { ...cursor, at: start, end: cursor.at, depth: cursor.depth + 1 }
  return tag === 'F' ? { type: 'F', value: readEntries(inner) } : { type: 'A', value: readItems(inner) }
}

function readItems(cursor: Cursor): readonly FieldValue[] {
  const items: FieldValue[] = []
  while (cursor.at < cursor.end) items.push(readValue(cursor))
  return items
}

/** A boolean may be any byte and a NaN has many forms; what writing it again would change is kept raw. */
function isCanonical(cursor: Cursor, start: number, content: FieldContent): boolean {
  // What lies too deep and is shown as bytes has another type.
  if (content.type !== String.fromCharCode(cursor.bytes[start]!)) return false
  if (content.type === 't') return cursor.bytes[start + 1]! <= 1
  if (content.type === 'f' || content.type === 'd') return !Number.isNaN(content.value)
  return true
}

function take(cursor: Cursor, length: number): number {
  const start = cursor.at
  if (length > cursor.end - start) {
    fail(
      cursor,
      'WIRE_TRUNCATED',
      `A field of ${length} bytes starts but only ${cursor.end - start} bytes are left`,
    )
  }
  cursor.at = start + length
  return start
}

function fail(cursor: Cursor, code: WireErrorCode, detail: string): never {
  throw new WireError({ code, detail, offset: cursor.at })
}
