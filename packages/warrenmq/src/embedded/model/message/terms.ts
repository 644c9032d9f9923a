import type { FieldTable, FieldValue } from '../../../wire/field-value.ts'
import { bytesOfText, isEscaped, readShortText } from '../../../wire/short-text.ts'

/** The names that RabbitMQ's messages use for the types of fields. */
const typeNames: Readonly<Record<FieldValue['type'], string>> = {
  S: 'longstr',
  I: 'signedint',
  D: 'decimal',
  T: 'timestamp',
  F: 'table',
  A: 'array',
  b: 'byte',
  B: 'unsignedbyte',
  s: 'short',
  u: 'unsignedshort',
  i: 'unsignedint',
  l: 'long',
  f: 'float',
  d: 'double',
  t: 'bool',
  x: 'binary',
  V: 'void',
}

export function typeNameOf(field: FieldValue): string {
  return typeNames[field.type]
}

/** The first entry of that name, as RabbitMQ looks a name up. */
export function lookUp(table: FieldTable, name: string): FieldValue | undefined {
  return table.find((entry) => entry.name === name)?.value
}

/** Bytes that are no text become what a name or key of the same bytes is. */
export function textOf(field: FieldValue | undefined): string | undefined {
  if (field?.type !== 'S') return undefined
  return typeof field.value === 'string' ? field.value : readShortText(field.value, 0, field.value.length)
}

/** The inverse: a name or key as a field, with the bytes it came with. */
export function textField(text: string): FieldValue {
  return { type: 'S', value: isEscaped(text) ? bytesOfText(text) : text }
}

/** The whole number in a field of any integer type. Larger ones than JavaScript can hold do not occur as arguments. */
export function integerOf(field: FieldValue | undefined): number | undefined {
  switch (field?.type) {
    case 'b':
    case 'B':
    case 's':
    case 'u':
    case 'I':
    case 'i':
      return field.value
    case 'l':
      return Number(field.value)
    default:
      return undefined
  }
}

export function booleanOf(field: FieldValue | undefined): boolean | undefined {
  return field?.type === 't' ? field.value : undefined
}

/** A value as Erlang prints it with ~p, which is how it stands in RabbitMQ's messages. */
export function renderTerm(field: FieldValue): string {
  switch (field.type) {
    case 'S':
    case 'x':
      return renderBinary(field.value)
    case 'A':
      return `[${field.value.map((item) => `{${typeNameOf(item)},${renderTerm(item)}}`).join(',')}]`
    case 'F':
      return `[${field.value.map(({ name, value }) => `{${renderBinary(name)},${typeNameOf(value)},${renderTerm(value)}}`).join(',')}]`
    case 'D':
      return `{${field.value.scale},${field.value.unscaled}}`
    case 'V':
      return 'undefined'
    case 'd':
    case 'f':
      return Number.isInteger(field.value) ? `${field.value}.0` : String(field.value)
    default:
      return String(field.value)
  }
}

function renderBinary(value: string | Buffer): string {
  const text = typeof value === 'string' ? value : value.toString('latin1')
  return text === '' ? '<<>>' : `<<${JSON.stringify(text)}>>`
}

/** Erlang compares binaries byte by byte. JavaScript's order is the same but for characters this high. */
const isAboveSurrogates = /[\ud800-\uffff]/

export function compareAsBinaries(a: string, b: string): number {
  if (isAboveSurrogates.test(a) || isAboveSurrogates.test(b)) {
    return Buffer.compare(bytesOfText(a), bytesOfText(b))
  }
  return a < b ? -1 : a > b ? 1 : 0
}

/** Sorted by name; entries of one name keep their order. */
export function sortTable(table: FieldTable): FieldTable {
  return table.toSorted((a, b) => compareAsBinaries(a.name, b.name))
}

/** Puts values in the places of the first of their names, or at the end, and sorts. */
export function setSorted(table: FieldTable, values: FieldTable): FieldTable {
  const changed = [...table]
  for (const entry of values) {
    const at = changed.findIndex(({ name }) => name === entry.name)
    if (at === -1) changed.push(entry)
    else changed[at] = entry
  }
  return sortTable(changed)
}
