import { InvalidArgumentError, WireError } from '../errors.ts'
import { decodeTable } from './decode-table.ts'
import { encodeTable } from './encode-table.ts'
import type { FieldTable } from './field-value.ts'
import { type FieldKinds, type Method, type MethodName, methodSpecs } from './method-specs.ts'
import { encodeShortText, readShortText } from './short-text.ts'

/** Class and method as one number, as the first four bytes of a method frame have it. */
export function methodIdOf(name: MethodName): number {
  const [classId, methodId] = methodSpecs[name].id
  return classId * 0x10000 + methodId
}

/** Decodes the payload of a method frame. */
export function decodeMethod(payload: Buffer): Method {
  if (payload.length < 4)
    throw new WireError({ code: 'WIRE_TRUNCATED', detail: 'A method frame has no method', offset: 0 })
  const spec = specsById.get(payload.readUInt32BE(0))
  if (!spec) {
    const [classId, methodId] = [payload.readUInt16BE(0), payload.readUInt16BE(2)]
    throw new WireError({
      code: 'WIRE_UNKNOWN_METHOD',
      detail: `There is no method ${methodId} in class ${classId}`,
      offset: 0,
    })
  }
  const method: Record<string, unknown> = { name: spec.name }
  const reader: Reader = { bytes: payload, at: 4, bitIndex: 0 }
  for (const { name, kind, isShown } of spec.fields) {
    const value = readField(reader, kind)
    if (isShown) method[name] = value
  }
  if (reader.at !== payload.length) {
    throw new WireError({
      code: 'WIRE_TRAILING_BYTES',
      detail: `Bytes follow ${spec.name}`,
      offset: reader.at,
    })
  }
  return method as unknown as Method
}

/** Encodes a method as the payload of a method frame. */
export function encodeMethod(method: Method): Buffer {
  const spec = specsByName.get(method.name)!
  const parts: Buffer[] = [spec.idBytes]
  const values = method as unknown as Readonly<Record<string, FieldKinds[keyof FieldKinds]>>
  let bits: { byte: number; count: number } | undefined
  for (const { name, kind } of spec.fields) {
    if (kind !== 'bit') {
      if (bits) parts.push(Buffer.from([bits.byte]))
      bits = undefined
      parts.push(encodeField(method.name, name, kind, values[name]))
      continue
    }
    bits ??= { byte: 0, count: 0 }
    if (values[name]) bits.byte |= 1 << bits.count
    bits.count += 1
  }
  if (bits) parts.push(Buffer.from([bits.byte]))
  return Buffer.concat(parts)
}

interface FieldSpec {
  readonly name: string
  readonly kind: keyof FieldKinds
  readonly isShown: boolean
}

interface MethodSpec {
  readonly name: MethodName
  readonly idBytes: Buffer
  readonly fields: readonly FieldSpec[]
}

const specsByName: ReadonlyMap<MethodName, MethodSpec> = new Map(
  (Object.keys(methodSpecs) as MethodName[]).map((name) => [name, specOf(name)]),
)
const specsById: ReadonlyMap<number, MethodSpec> = new Map(
  [...specsByName].map(([name, spec]) => [methodIdOf(name), spec]),
)

function specOf(name: MethodName): MethodSpec {
  const idBytes = Buffer.allocUnsafe(4)
  idBytes.writeUInt32BE(methodIdOf(name))
  const fields = Object.entries(methodSpecs[name].fields).map(([field, kind]) => ({
    name: field,
    kind: kind as keyof FieldKinds,
    isShown: !field.startsWith('reserved'),
  }))
  return { name, idBytes, fields }
}

interface Reader {
  readonly bytes: Buffer
  at: number
  /** Bits share a byte with the bits right before them. */
  bitIndex: number
}

function readField(reader: Reader, kind: keyof FieldKinds): FieldKinds[keyof FieldKinds] {
  if (kind === 'bit') return readBit(reader)
  reader.bitIndex = 0
  switch (kind) {
    case 'octet':
      return reader.bytes[take(reader, 1)]!
    case 'short':
      return reader.bytes.readUInt16BE(take(reader, 2))
    case 'long':
      return reader.bytes.readUInt32BE(take(reader, 4))
    case 'longlong':
      return readTag(reader.bytes, take(reader, 8))
    case 'shortstr': {
      const length = reader.bytes[take(reader, 1)]!
      return readShortText(reader.bytes, take(reader, length), reader.at)
    }
    case 'longstr':
      return readSized(reader)
    case 'table':
      return decodeTable(readSized(reader))
  }
}

function readBit(reader: Reader): boolean {
  if (reader.bitIndex === 0) take(reader, 1)
  const bit = (reader.bytes[reader.at - 1]! >> reader.bitIndex) & 1
  reader.bitIndex = (reader.bitIndex + 1) % 8
  return bit === 1
}

function readSized(reader: Reader): Buffer {
  const length = reader.bytes.readUInt32BE(take(reader, 4))
  return reader.bytes.subarray(take(reader, length), reader.at)
}

function take(reader: Reader, length: number): number {
  const start = reader.at
  if (start + length > reader.bytes.length) {
    throw new WireError({
      code: 'WIRE_TRUNCATED',
      detail: 'A method ends in the middle of a field',
      offset: start,
    })
  }
  reader.at = start + length
  return start
}

/** Delivery tags count from 1 on each channel, so a double holds every tag that can occur. */
export function readTag(bytes: Buffer, at: number): number {
  const high = bytes.readUInt32BE(at)
  const low = bytes.readUInt32BE(at + 4)
  // Nearly every tag ends here. With the high half in the sum the engine keeps it as a floating-point number, and so is
  // everything computed from it, such as its place in a ledger.
  if (high === 0) return low
  const tag = high * 0x100000000 + low
  if (tag <= Number.MAX_SAFE_INTEGER) return tag
  throw new WireError({
    code: 'WIRE_BAD_VALUE',
    detail: 'A delivery tag is beyond any that can occur',
    offset: at,
  })
}

function encodeField(
  method: MethodName,
  field: string,
  kind: Exclude<keyof FieldKinds, 'bit'>,
  value: FieldKinds[keyof FieldKinds] | undefined,
): Buffer {
  switch (kind) {
    case 'octet':
      return encodeUnsigned(method, field, 1, (value ?? 0) as number)
    case 'short':
      return encodeUnsigned(method, field, 2, (value ?? 0) as number)
    case 'long':
      return encodeUnsigned(method, field, 4, (value ?? 0) as number)
    case 'longlong':
      return encodeTag(method, field, (value ?? 0) as number)
    case 'shortstr':
      return encodeShortText(`${field} of ${method}`, (value ?? '') as string)
    case 'longstr':
      return encodeSized((value ?? Buffer.alloc(0)) as Buffer)
    case 'table':
      return encodeSized(encodeTable((value ?? []) as FieldTable))
  }
}

function encodeUnsigned(method: MethodName, field: string, size: 1 | 2 | 4, value: number): Buffer {
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** (8 * size)) {
    throw new InvalidArgumentError(
      `${field} of ${method} is ${String(value)}; it must be a whole number from 0 to ${2 ** (8 * size) - 1}.`,
    )
  }
  const bytes = Buffer.allocUnsafe(size)
  bytes.writeUIntBE(value, 0, size)
  return bytes
}

function encodeTag(method: MethodName, field: string, value: number): Buffer {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new InvalidArgumentError(
      `${field} of ${method} is ${String(value)}; it must be a whole number from 0.`,
    )
  }
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

function encodeSized(content: Buffer): Buffer {
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}
