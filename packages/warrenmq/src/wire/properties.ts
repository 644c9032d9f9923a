import { editTable, type TableEdit } from './edit-table.ts'
import { encodeProperties } from './encode-properties.ts'
import {
  type Properties,
  type PropertiesInput,
  type PropertyName,
  propertyKinds,
  type RawProperties,
} from './property-kinds.ts'
import { readShortText } from './short-text.ts'
import {
  endOf,
  indexOfProperty,
  locateProperties,
  propertyNames,
  spliceProperties,
  startOf,
} from './splice-properties.ts'

export type { Properties, PropertiesInput, PropertyName, RawProperties }
export { encodeProperties }

/** No property set at all. */
export const noProperties: RawProperties = Buffer.from([0, 0])

/**
 * Reads all properties of a message.
 * @example
 * ```ts
 * const { messageId, type } = decodeProperties(message.properties)
 * ```
 */
export function decodeProperties(raw: RawProperties): Properties {
  const places = locateProperties(raw)
  const decoded: Record<string, unknown> = {}
  for (const [index, name] of propertyNames.entries()) {
    const [start, end] = [places[index]!, places[index + 1]!]
    if (end > start) decoded[name] = readAs(raw, name, start, end)
  }
  return decoded as Properties
}

/**
 * Reads one property and skips the others.
 * @example
 * ```ts
 * const id = readProperty(message.properties, 'messageId')
 * ```
 */
export function readProperty<Name extends PropertyName>(raw: RawProperties, name: Name): Properties[Name] {
  const index = indexOfProperty[name]
  const start = startOf(raw, index)
  if (start < 0) return undefined
  return readAs(raw, name, start, endOf(raw, index, start)) as Properties[Name]
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
  const places = locateProperties(raw)
  const values: (Buffer | undefined)[] = []
  for (const name of remove) values[indexOfProperty[name]] = nothing
  for (const [name, value] of Object.entries(set) as [PropertyName, never][]) {
    if (value !== undefined) values[indexOfProperty[name]] = encodeProperties({ [name]: value }).subarray(2)
  }
  if (headers) {
    const index = indexOfProperty.headers
    const present = values[index] ?? raw.subarray(places[index], places[index + 1])
    if (present.length > 0 || headers.set?.length)
      values[index] = withLength(editTable(present.subarray(4), headers))
  }
  return spliceProperties(raw, places, { values })
}

const nothing = Buffer.alloc(0)

function readAs(
  raw: RawProperties,
  name: PropertyName,
  start: number,
  end: number,
): string | number | bigint | Buffer {
  switch (propertyKinds[name]) {
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
