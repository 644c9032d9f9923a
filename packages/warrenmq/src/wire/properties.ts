import { WireError } from '../errors.ts'
import { encodeProperties } from './encode-properties.ts'
import { editTable, type TableEdit } from './header-table.ts'
import {
  type Properties,
  type PropertiesInput,
  type PropertyName,
  propertyKinds,
  type RawProperties,
  type ValueOfKind,
} from './property-kinds.ts'
import { readShortText } from './short-text.ts'

const propertyNames = Object.keys(propertyKinds) as readonly PropertyName[]
const kinds: readonly (keyof ValueOfKind)[] = propertyNames.map((name) => propertyKinds[name])
const indexOf: Readonly<Record<PropertyName, number>> = Object.fromEntries(
  propertyNames.map((name, index) => [name, index]),
) as Record<PropertyName, number>
const highestFlag = 0x8000

export type { Properties, PropertiesInput, PropertyName, RawProperties }
export { encodeProperties }

/** No property set at all. */
export const noProperties: RawProperties = Buffer.from([0, 0])

export function decodeProperties(raw: RawProperties): Properties {
  const decoded: Record<string, unknown> = {}
  walk(raw, (name, start, end) => {
    decoded[name] = readAs(raw, indexOf[name], start, end)
  })
  return decoded as Properties
}

/** Reads one property and skips the others. */
export function readProperty<Name extends PropertyName>(raw: RawProperties, name: Name): Properties[Name] {
  const index = indexOf[name]
  const start = startOf(raw, index)
  if (start < 0) return undefined
  return readAs(raw, index, start, endOf(raw, index, start)) as Properties[Name]
}

export interface PropertiesEdit {
  readonly set?: Omit<PropertiesInput, 'headers'>
  readonly remove?: readonly PropertyName[]
  readonly headers?: TableEdit
}

/** Splices properties: whatever the edit does not name stays byte-identical. */
export function editProperties(
  raw: RawProperties,
  { set = {}, remove = [], headers }: PropertiesEdit,
): RawProperties {
  const parts = new Map<PropertyName, Buffer>()
  walk(raw, (name, start, end) => {
    if (!remove.includes(name)) parts.set(name, raw.subarray(start, end))
  })
  for (const [name, value] of Object.entries(set) as [PropertyName, never][]) {
    if (value !== undefined) parts.set(name, encodeProperties({ [name]: value }).subarray(2))
  }
  if (headers) editHeaders(parts, headers)
  return assemble(parts)
}

function editHeaders(parts: Map<PropertyName, Buffer>, edit: TableEdit): void {
  const present = parts.get('headers')
  if (!present && !edit.set?.length) return
  parts.set('headers', withLength(editTable(present ? present.subarray(4) : Buffer.alloc(0), edit)))
}

function assemble(parts: ReadonlyMap<PropertyName, Buffer>): RawProperties {
  let flags = 0
  let size = 2
  for (const [name, part] of parts) {
    flags |= highestFlag >> indexOf[name]
    size += part.length
  }
  const raw = Buffer.allocUnsafe(size)
  let at = raw.writeUInt16BE(flags, 0)
  for (const name of propertyNames) at += parts.get(name)?.copy(raw, at) ?? 0
  return raw
}

function walk(raw: RawProperties, visit: (name: PropertyName, start: number, end: number) => void): void {
  const flags = readFlags(raw)
  let at = 2
  for (const [index, name] of propertyNames.entries()) {
    if (!(flags & (highestFlag >> index))) continue
    const end = endOf(raw, index, at)
    visit(name, at, end)
    at = end
  }
  if (at !== raw.length) throw wireError('WIRE_TRAILING_BYTES', 'Bytes follow the last property', at)
}

/** Where the value of a property begins; -1 where it is not set. Asked for every message, so it makes nothing. */
function startOf(raw: RawProperties, wanted: number): number {
  const flags = readFlags(raw)
  if (!(flags & (highestFlag >> wanted))) return -1
  let at = 2
  for (let index = 0; index < wanted; index += 1) {
    if (flags & (highestFlag >> index)) at = endOf(raw, index, at)
  }
  return at
}

function readFlags(raw: RawProperties): number {
  if (raw.length < 2) throw wireError('WIRE_TRUNCATED', 'Properties are shorter than their flags', 0)
  const flags = raw.readUInt16BE(0)
  // The two low bits belong to no property of class basic; RabbitMQ refuses them too.
  if (flags & 3) throw wireError('WIRE_BAD_VALUE', 'Property flags name an unknown property', 0)
  return flags
}

function endOf(raw: RawProperties, index: number, at: number): number {
  const end = at + sizeAt(raw, kinds[index]!, at)
  if (end > raw.length)
    throw wireError('WIRE_TRUNCATED', `The property ${propertyNames[index]} ends behind the last byte`, at)
  return end
}

function sizeAt(raw: RawProperties, kind: keyof ValueOfKind, at: number): number {
  switch (kind) {
    case 'octet':
      return 1
    case 'time':
      return 8
    case 'text':
      return 1 + (raw[at] ?? 0)
    case 'table':
      return at + 4 > raw.length ? 4 : 4 + raw.readUInt32BE(at)
  }
}

function readAs(
  raw: RawProperties,
  index: number,
  start: number,
  end: number,
): string | number | bigint | Buffer {
  switch (kinds[index]!) {
    case 'octet':
      return raw[start]!
    case 'time':
      return raw.readBigUInt64BE(start)
    case 'text':
      return readShortText(raw, start + 1, end)
    case 'table':
      return raw.subarray(start + 4, end)
  }
}

function withLength(table: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(4 + table.length)
  bytes.writeUInt32BE(table.length, 0)
  table.copy(bytes, 4)
  return bytes
}

function wireError(
  code: 'WIRE_TRUNCATED' | 'WIRE_TRAILING_BYTES' | 'WIRE_BAD_VALUE',
  detail: string,
  offset: number,
): WireError {
  return new WireError({ code, detail, offset })
}
