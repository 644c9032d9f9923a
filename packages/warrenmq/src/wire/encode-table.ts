import { InvalidArgumentError, WireError } from '../errors.ts'
import {
  type FieldContent,
  type FieldEntry,
  type FieldTable,
  type FieldValue,
  fixedFieldSizes,
} from './field-value.ts'

/** Encodes a field table without its 32-bit length; the inverse of `decodeTable`. */
export function encodeTable(table: FieldTable): Buffer {
  const bytes = Buffer.allocUnsafe(sizeOfTable(table))
  writeEntries(bytes, 0, table)
  return bytes
}

/** The bytes that `encodeTable` would give. */
export function sizeOfTable(table: FieldTable): number {
  let size = 0
  for (const entry of table) size += sizeOfEntry(entry)
  return size
}

/** Encodes entries at `at` and returns the offset behind them. The room must be there: see `sizeOfTable`. */
export function writeEntries(bytes: Buffer, at: number, table: FieldTable): number {
  let next = at
  for (const { name, nameBytes, value } of table) {
    const nameLength = nameBytes ? nameBytes.copy(bytes, next + 1) : bytes.write(name, next + 1, 'utf8')
    bytes[next] = nameLength
    next = writeValue(bytes, next + 1 + nameLength, value)
  }
  return next
}

function sizeOfEntry({ name, nameBytes, value }: FieldEntry): number {
  const nameLength = nameBytes?.length ?? Buffer.byteLength(name, 'utf8')
  if (nameLength > 255) {
    throw new InvalidArgumentError(
      `The header name ${JSON.stringify(`${name.slice(0, 40)}…`)} has ${nameLength} bytes; AMQP allows 255. Use a shorter name.`,
    )
  }
  return 1 + nameLength + sizeOfValue(value)
}

function sizeOfValue(value: FieldValue): number {
  if (value.raw) return value.raw.length
  switch (value.type) {
    case 'S':
      return (
        5 + (typeof value.value === 'string' ? Buffer.byteLength(value.value, 'utf8') : value.value.length)
      )
    case 'x':
      return 5 + value.value.length
    case 'F':
      return 5 + sizeOfTable(value.value)
    case 'A':
      return value.value.reduce((size, item) => size + sizeOfValue(item), 5)
    default:
      return 1 + fixedFieldSizes[value.type]
  }
}

function writeValue(bytes: Buffer, at: number, value: FieldValue): number {
  if (value.raw) return at + value.raw.copy(bytes, at)
  if (isNarrowed(value)) throw doesNotFit(value)
  bytes[at] = value.type.charCodeAt(0)
  try {
    return writeContent(bytes, at + 1, value)
  } catch (cause) {
    if (cause instanceof WireError || cause instanceof InvalidArgumentError) throw cause
    throw doesNotFit(value, { cause })
  }
}

/** What Node would write as something else: it cuts a fraction off, and NaN becomes 0. */
function isNarrowed(content: FieldContent): boolean {
  switch (content.type) {
    case 'b':
    case 'B':
    case 's':
    case 'u':
    case 'I':
    case 'i':
      return !Number.isInteger(content.value)
    case 'D':
      return !Number.isInteger(content.value.scale) || !Number.isInteger(content.value.unscaled)
    case 'f':
      return Number.isFinite(content.value) && !Number.isFinite(Math.fround(content.value))
    default:
      return false
  }
}

function doesNotFit({ type, value }: FieldContent, options?: ErrorOptions): InvalidArgumentError {
  const shown = type === 'D' ? `${value.unscaled} ÷ 10^${value.scale}` : String(value)
  return new InvalidArgumentError(`${shown} does not fit the AMQP field type "${type}".`, options)
}

function writeContent(bytes: Buffer, at: number, content: FieldContent): number {
  switch (content.type) {
    case 't':
      return bytes.writeUInt8(content.value ? 1 : 0, at)
    case 'b':
      return bytes.writeInt8(content.value, at)
    case 'B':
      return bytes.writeUInt8(content.value, at)
    case 's':
      return bytes.writeInt16BE(content.value, at)
    case 'u':
      return bytes.writeUInt16BE(content.value, at)
    case 'I':
      return bytes.writeInt32BE(content.value, at)
    case 'i':
      return bytes.writeUInt32BE(content.value, at)
    case 'l':
      return bytes.writeBigInt64BE(content.value, at)
    case 'T':
      return bytes.writeBigUInt64BE(content.value, at)
    case 'f':
      return bytes.writeFloatBE(content.value, at)
    case 'd':
      return bytes.writeDoubleBE(content.value, at)
    case 'D':
      bytes.writeUInt8(content.value.scale, at)
      return bytes.writeUInt32BE(content.value.unscaled, at + 1)
    case 'V':
      return at
    case 'S':
    case 'x':
    case 'A':
    case 'F':
      return writeSized(bytes, at, content)
  }
}

type SizedContent = Extract<FieldContent, { type: 'S' | 'x' | 'A' | 'F' }>

function writeSized(bytes: Buffer, at: number, content: SizedContent): number {
  const start = at + 4
  const end = writeSizedBody(bytes, start, content)
  bytes.writeUInt32BE(end - start, at)
  return end
}

function writeSizedBody(bytes: Buffer, at: number, content: SizedContent): number {
  switch (content.type) {
    case 'S':
      return (
        at +
        (typeof content.value === 'string'
          ? bytes.write(content.value, at, 'utf8')
          : content.value.copy(bytes, at))
      )
    case 'x':
      return at + content.value.copy(bytes, at)
    case 'F':
      return writeEntries(bytes, at, content.value)
    case 'A':
      return content.value.reduce((next, item) => writeValue(bytes, next, item), at)
  }
}
