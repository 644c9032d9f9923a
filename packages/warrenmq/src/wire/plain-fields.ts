import { InvalidArgumentError } from '../errors.ts'
import { checkTypedField } from './check-typed-field.ts'
import { maxNesting } from './decode-table.ts'
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

/** Headers or arguments, in plain values. Entries that are undefined are left out. */
export type PlainTable = Readonly<Record<string, PlainField | undefined>>

const isTyped: unique symbol = Symbol('AMQP field with its type')

/** A value whose AMQP type `typed` says. */
export type TypedField = FieldContent & { readonly [isTyped]: true }

/**
 * A header of an exact AMQP type: `typed({ type: 'l', value: 5n })` is what a Java `Long` would be.
 * @example
 * ```ts
 * await warren.publisher().publish({ key: 'orders', body: 'x', headers: { total: typed({ type: 'l', value: 5n }) } })
 * ```
 */
export function typed(content: FieldContent): TypedField {
  return { ...content, [isTyped]: true }
}

/** Where a value stands: the names that lead to it, and how many tables and lists. */
export interface FieldPlace {
  /** Names with dots between them and indexes in brackets: `value.b[0]`. */
  readonly path: string
  /** How many tables and lists it lies in. */
  readonly depth: number
}

/**
 * Names with `undefined` are left out, as in JSON. What RabbitMQ closes a connection over is refused.
 * @example
 * ```ts
 * const headers = toFieldTable({ tenant: 'acme' })
 * ```
 */
export function toFieldTable(plain: PlainTable, within?: FieldPlace): FieldTable {
  return Object.entries(plain).flatMap(([name, value]) => {
    if (value === undefined) return []
    const place = within ? { path: `${within.path}.${name}`, depth: within.depth } : { path: name, depth: 0 }
    return [{ name, value: toFieldValue(value, place) }]
  })
}

/** Whole numbers become int32 or int64, others double; a Date loses its milliseconds, as AMQP has none. */
export function toFieldValue(plain: PlainField, place: FieldPlace = { path: 'value', depth: 0 }): FieldValue {
  switch (typeof plain) {
    case 'string':
      return { type: 'S', value: plain }
    case 'boolean':
      return { type: 't', value: plain }
    case 'bigint':
      return { type: 'l', value: plain }
    case 'number':
      return numberField(plain, place)
    default:
      return objectField(plain, place)
  }
}

/**
 * The other way, for reading: exact integers as numbers, larger ones as bigint, bytes as Buffer.
 * @example
 * ```ts
 * const { tenant } = toPlainTable(table)
 * ```
 */
export function toPlainTable(table: FieldTable): Record<string, PlainField> {
  return Object.fromEntries(table.map(({ name, value }) => [name, toPlainField(value)]))
}

/**
 * A field of a table as a plain value.
 * @example
 * ```ts
 * const plain = toPlainField({ type: 'S', value: 'acme' } as FieldValue)
 * ```
 */
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

function numberField(plain: number, { path }: FieldPlace): FieldValue {
  if (Number.isSafeInteger(plain)) {
    return plain >= -0x80000000 && plain <= 0x7fffffff
      ? { type: 'I', value: plain }
      : { type: 'l', value: BigInt(plain) }
  }
  refuseNoNumber(plain, path)
  return { type: 'd', value: plain }
}

/** Erlang has no such numbers: RabbitMQ answers 541 and closes the connection, on every version and for every queue. */
function refuseNoNumber(value: number, path: string): void {
  if (Number.isFinite(value)) return
  throw new InvalidArgumentError(
    `The header ${path} is ${value}, and RabbitMQ closes the connection because of it. Leave it out, or send it as text.`,
  )
}

function objectField(
  plain: Exclude<PlainField, string | number | bigint | boolean>,
  place: FieldPlace,
): FieldValue {
  if (plain === null) return { type: 'V', value: null }
  if (Buffer.isBuffer(plain)) return { type: 'x', value: plain }
  if (plain instanceof Date) return { type: 'T', value: secondsOf(plain, place) }
  if (isBytes(plain)) return { type: 'x', value: Buffer.from(plain.buffer, plain.byteOffset, plain.length) }
  if (typeof plain === 'object' && isTyped in plain) return checkTyped(plain as TypedField, place)
  const within = { path: place.path, depth: place.depth + 1 }
  if (within.depth > maxNesting) throw tooDeep(place)
  if (Array.isArray(plain)) {
    const items: readonly PlainField[] = plain
    return { type: 'A', value: items.map((item, index) => toFieldValue(item, inList(within, index))) }
  }
  const kind = kindOf(plain)
  if (kind === 'Object') return { type: 'F', value: toFieldTable(plain as PlainTable, within) }
  throw new InvalidArgumentError(
    `The header ${place.path} is of type ${kind}, which AMQP does not have. Use text, a number, a table, a list or bytes.`,
  )
}

function inList({ path, depth }: FieldPlace, index: number): FieldPlace {
  return { path: `${path}[${index}]`, depth }
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array
}

/** A Map, a Set or an Error has no fields that could be sent, and would arrive as an empty table. */
function kindOf(value: unknown): string {
  return typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value
}

function tooDeep({ path }: FieldPlace): InvalidArgumentError {
  const start = path.length > 40 ? `${path.slice(0, 40)}…` : path
  return new InvalidArgumentError(
    `The header ${start} contains itself, or is nested more than ${maxNesting} deep. Send it in the body, as JSON.`,
  )
}

function checkTyped(field: TypedField, { path }: FieldPlace): TypedField {
  checkTypedField(field, path)
  return field
}

/** AMQP counts from 1970 without a sign, and an invalid Date counts nothing. */
function secondsOf(date: Date, { path }: FieldPlace): bigint {
  const seconds = Math.floor(date.getTime() / 1000)
  if (seconds >= 0) return BigInt(seconds)
  throw new InvalidArgumentError(
    `The header ${path} is ${String(date)}, which AMQP cannot express. Use a Date from 1970 on.`,
  )
}

/** The last second that a Date can hold. */
const lastDateSeconds = 8_640_000_000_000n

function isSafe(value: bigint): boolean {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
}
