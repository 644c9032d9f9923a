import { InvalidArgumentError } from '../errors.ts'
import type { FieldContent, FieldTable, FieldValue } from './field-value.ts'

/** What people write for headers and arguments; `typed` says the AMQP type where it matters. */
export type PlainField =
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | Buffer
  | TypedField
  | readonly PlainField[]
  | { readonly [name: string]: PlainField | undefined }

export type PlainTable = Readonly<Record<string, PlainField | undefined>>

const isTyped: unique symbol = Symbol('AMQP field with its type')

export type TypedField = FieldContent & { readonly [isTyped]: true }

/** A header of an exact AMQP type: `typed({ type: 'l', value: 5n })` is what a Java `Long` would be. */
export function typed(content: FieldContent): TypedField {
  return { ...content, [isTyped]: true }
}

/** Names with `undefined` are left out, as in JSON. */
export function toFieldTable(plain: PlainTable): FieldTable {
  return Object.entries(plain).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: toFieldValue(value) }],
  )
}

/** Whole numbers become int32 or int64, others double; a Date loses its milliseconds, as AMQP has none. */
export function toFieldValue(plain: PlainField): FieldValue {
  switch (typeof plain) {
    case 'string':
      return { type: 'S', value: plain }
    case 'boolean':
      return { type: 't', value: plain }
    case 'bigint':
      return { type: 'l', value: plain }
    case 'number':
      return numberField(plain)
    default:
      return objectField(plain)
  }
}

/** The other way, for reading: exact integers as numbers, larger ones as bigint, bytes as Buffer. */
export function toPlainTable(table: FieldTable): Record<string, PlainField> {
  return Object.fromEntries(table.map(({ name, value }) => [name, toPlainField(value)]))
}

export function toPlainField(field: FieldValue): PlainField {
  switch (field.type) {
    case 'l':
      return isSafe(field.value) ? Number(field.value) : field.value
    case 'T':
      return field.value <= lastDateSeconds ? new Date(Number(field.value) * 1000) : field.value
    case 'D':
      return field.value.unscaled / 10 ** field.value.scale
    case 'A':
      return field.value.map(toPlainField)
    case 'F':
      return toPlainTable(field.value)
    default:
      return field.value
  }
}

function numberField(plain: number): FieldValue {
  if (!Number.isSafeInteger(plain)) return { type: 'd', value: plain }
  return plain >= -0x80000000 && plain <= 0x7fffffff
    ? { type: 'I', value: plain }
    : { type: 'l', value: BigInt(plain) }
}

function objectField(plain: Exclude<PlainField, string | number | bigint | boolean>): FieldValue {
  if (plain === null) return { type: 'V', value: null }
  if (Array.isArray(plain)) return { type: 'A', value: plain.map(toFieldValue) }
  if (Buffer.isBuffer(plain)) return { type: 'x', value: plain }
  if (plain instanceof Date) return { type: 'T', value: secondsOf(plain) }
  if (typeof plain !== 'object') {
    throw new InvalidArgumentError(
      `A ${typeof plain} cannot be an AMQP header. Use text, a number, a table or bytes.`,
    )
  }
  if (isTyped in plain) return plain as TypedField
  return { type: 'F', value: toFieldTable(plain as PlainTable) }
}

/** AMQP counts from 1970 without a sign, and an invalid Date counts nothing. */
function secondsOf(date: Date): bigint {
  const seconds = Math.floor(date.getTime() / 1000)
  if (seconds >= 0) return BigInt(seconds)
  throw new InvalidArgumentError(`${String(date)} cannot be an AMQP timestamp. Use a Date from 1970 on.`)
}

/** The last second that a Date can hold. */
const lastDateSeconds = 8_640_000_000_000n

function isSafe(value: bigint): boolean {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
}
