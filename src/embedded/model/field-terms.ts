import type { FieldTable, FieldValue } from '../../wire/field-value.ts'

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

export function textOf(field: FieldValue | undefined): string | undefined {
  if (field?.type !== 'S') return undefined
  return typeof field.value === 'string' ? field.value : field.value.toString('latin1')
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

/** Erlang compares binaries byte by byte, which for text beyond ASCII is not JavaScript's order. */
export function compareAsBinaries(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'))
}

/** Sorted by name; entries of one name keep their order. */
export function sortTable(table: FieldTable): FieldTable {
  return table.toSorted((a, b) => compareAsBinaries(a.name, b.name))
}

/** Puts a value in the place of the first of that name, or at the end, and sorts. */
export function setSorted(table: FieldTable, name: string, value: FieldValue): FieldTable {
  const at = table.findIndex((entry) => entry.name === name)
  return sortTable(at === -1 ? [...table, { name, value }] : table.with(at, { name, value }))
}
