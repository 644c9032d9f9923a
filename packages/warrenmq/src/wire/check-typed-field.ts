import { InvalidArgumentError } from '../errors.ts'
import { maxNesting } from './decode-table.ts'
import type { FieldContent, FieldEntry } from './field-value.ts'

/**
 * Refuses what `typed()` was given without a compiler: a type that AMQP does not have, a value of another kind, and
 * numbers that RabbitMQ closes the connection over. Whether a number fits its type shows when it is written.
 */
export function checkTypedField(field: FieldContent, path: string, depth = 0): void {
  const { type, value } = (field ?? {}) as { readonly type?: unknown; readonly value?: unknown }
  if (typeof type !== 'string' || !Object.hasOwn(rules, type)) throw noType(path, type)
  const { mustBe, isAllowed } = rules[type as FieldContent['type']]
  if (!isAllowed(value)) throw noValue({ path, type, mustBe })
  if (type !== 'A' && type !== 'F') return
  if (depth >= maxNesting) throw noValue({ path, type, mustBe: `nested ${maxNesting} deep at most` })
  const items = type === 'A' ? (value as FieldContent[]) : (value as FieldEntry[]).map((entry) => entry.value)
  for (const item of items) checkTypedField(item, path, depth + 1)
}

interface Rule {
  /** In words that end "it must be …". */
  readonly mustBe: string
  readonly isAllowed: (value: unknown) => boolean
}

const whole: Rule = { mustBe: 'a number', isAllowed: (value) => typeof value === 'number' }
const long: Rule = { mustBe: 'a bigint, such as 5n', isAllowed: (value) => typeof value === 'bigint' }
// Erlang has no other numbers: RabbitMQ answers 541 and closes the connection.
const float: Rule = { mustBe: 'a finite number', isAllowed: (value) => Number.isFinite(value) }

const rules: Readonly<Record<FieldContent['type'], Rule>> = {
  t: { mustBe: 'true or false', isAllowed: (value) => typeof value === 'boolean' },
  b: whole,
  B: whole,
  s: whole,
  u: whole,
  I: whole,
  i: whole,
  l: long,
  T: long,
  f: float,
  d: float,
  D: {
    mustBe: '{ scale, unscaled }, both numbers',
    isAllowed: (value) => isNumber(read(value, 'scale')) && isNumber(read(value, 'unscaled')),
  },
  S: {
    mustBe: 'text or a Buffer',
    isAllowed: (value) => typeof value === 'string' || Buffer.isBuffer(value),
  },
  x: { mustBe: 'a Buffer', isAllowed: (value) => Buffer.isBuffer(value) },
  A: { mustBe: 'a list of { type, value }', isAllowed: (value) => Array.isArray(value) },
  F: {
    mustBe: 'a list of { name, value: { type, value } }',
    isAllowed: (value) =>
      Array.isArray(value) && value.every((entry) => typeof read(entry, 'name') === 'string'),
  },
  V: { mustBe: 'null', isAllowed: (value) => value === null },
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

function read(value: unknown, name: string): unknown {
  return value === undefined || value === null ? undefined : (value as Record<string, unknown>)[name]
}

function noType(path: string, type: unknown): InvalidArgumentError {
  const known = Object.keys(rules).join(', ')
  return new InvalidArgumentError(
    `The header ${path} has the AMQP type ${JSON.stringify(type) ?? 'undefined'}, which does not exist. ` +
      `Write typed({ type, value }) with one of ${known}.`,
  )
}

function noValue({ path, type, mustBe }: { path: string; type: string; mustBe: string }) {
  return new InvalidArgumentError(
    `The header ${path} has a value that does not fit the AMQP type "${type}"; it must be ${mustBe}.`,
  )
}
