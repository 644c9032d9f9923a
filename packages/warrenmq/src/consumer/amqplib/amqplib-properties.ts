import { decodeTable } from '../../wire/decode-table.ts'
import { encodeTable } from '../../wire/encode-table.ts'
import type { FieldEntry, FieldTable, FieldValue } from '../../wire/field-value.ts'
import { type PlainField, toFieldTable, typed } from '../../wire/plain-fields.ts'
import {
  decodeProperties,
  encodeProperties,
  type PropertiesInput,
  type RawProperties,
} from '../../wire/properties.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * The properties of a message of amqplib as they stand on the wire, for everything that reads and edits them there. What
 * amqplib read and nobody can write, such as a text whose bytes were no UTF-8 and that is too long since, is left out.
 */
export function readAmqplibProperties(properties: object): RawProperties {
  const { headers, timestamp, ...others } = properties as Values
  const given: Values = {
    ...others,
    timestamp: typeof timestamp === 'number' ? BigInt(timestamp) : undefined,
    headers: isTable(headers) ? tableOf(headers) : undefined,
  }
  return encode(given) ?? encodeProperties(Object.fromEntries(Object.entries(given).filter(isWritable)))
}

/**
 * Edited properties as amqplib publishes them. Headers that the edit left alone are handed on as amqplib gave them, so
 * that nothing is guessed about their types a second time. A bare copy has to leave in any case: headers that amqplib
 * would refuse are text in it.
 */
export function writeAmqplibProperties(
  edited: RawProperties,
  properties: object,
  { isBare = false }: { readonly isBare?: boolean } = {},
): object {
  const { headers, timestamp, deliveryMode: _, ...others } = decodeProperties(edited)
  const own = (properties as { headers?: Values }).headers ?? {}
  return {
    ...others,
    ...(timestamp === undefined ? {} : { timestamp: Number(timestamp) }),
    headers: headersOf(headers === undefined ? [] : decodeTable(headers), own, isBare),
    persistent: true,
    mandatory: true,
  }
}

function headersOf(edited: FieldTable, own: Values, isBare: boolean): Values {
  const before = new Map(tableOf(own).map((entry) => [entry.name, entry]))
  const unread = Object.entries(own).filter(([name]) => !before.has(name))
  const written = edited.map((entry) => {
    const old = before.get(entry.name)
    return [entry.name, old && isSame(old, entry) ? own[entry.name] : toAmqplib(entry.value)] as const
  })
  return Object.fromEntries([...(isBare ? unread.flatMap(asText) : unread), ...written])
}

/** Nothing is left of one whose name alone is too long. */
function asText([name, value]: readonly [string, unknown]): readonly (readonly [string, string])[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return Buffer.byteLength(name) > 255 ? [] : [[name, text]]
}

function isSame(left: FieldEntry, right: FieldEntry): boolean {
  return encodeTable([left]).equals(encodeTable([right]))
}

/** One by one: a header that cannot be read here is not edited here either, and stays what it is. */
function tableOf(headers: Values): FieldTable {
  return Object.entries(headers).flatMap(([name, value]) => {
    try {
      const entries = toFieldTable({ [name]: toPlain(value) })
      encodeTable(entries) // whether a number fits its type shows only here
      return entries
    } catch {
      return []
    }
  })
}

function isWritable([name, value]: readonly [string, unknown]): boolean {
  return encode({ [name]: value }) !== undefined
}

function encode(properties: Values): RawProperties | undefined {
  try {
    return encodeProperties(properties as PropertiesInput)
  } catch {
    return undefined
  }
}

function toPlain(value: unknown): PlainField | undefined {
  if (Array.isArray(value)) return value.map((item) => toPlain(item) ?? null)
  if (!isTable(value)) return value as PlainField
  if (Object.hasOwn(value, '!')) return toTyped(value)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toPlain(each)]))
}

/** amqplib reads these two so, because JavaScript has nothing like them. */
function toTyped({ '!': type, value }: Values): PlainField {
  if (type === 'timestamp') return typed({ type: 'T', value: BigInt(value as number) })
  const { places, digits } = value as { places: number; digits: number }
  return typed({ type: 'D', value: { scale: places, unscaled: digits } })
}

const amqplibTypes = {
  b: 'int8',
  B: 'uint8',
  s: 'int16',
  u: 'uint16',
  I: 'int32',
  i: 'uint32',
  l: 'int64',
  f: 'float',
  d: 'double',
  T: 'timestamp',
} as const

/** Said with its type, else amqplib would choose the smallest that holds it. */
function toAmqplib(field: FieldValue): unknown {
  switch (field.type) {
    case 't':
    case 'S':
    case 'x':
    case 'V':
      return field.value
    case 'A':
      return field.value.map(toAmqplib)
    case 'F':
      return Object.fromEntries(field.value.map(({ name, value }) => [name, toAmqplib(value)]))
    case 'D':
      return { '!': 'decimal', value: { places: field.value.scale, digits: field.value.unscaled } }
    default:
      return { '!': amqplibTypes[field.type], value: field.value }
  }
}

function isTable(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Buffer.isBuffer(value) && !Array.isArray(value)
}
