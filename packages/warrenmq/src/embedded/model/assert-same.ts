import type { FieldTable, FieldValue } from '../../wire/field-value.ts'
import { lookUp, renderTerm, textOf, typeNameOf } from './message/terms.ts'
import { ProtocolError } from './protocol-error.ts'

/** Refuses to declare a thing again with a property that differs. `resource` is as `describeResource` says it. */
export function assertSameProperty({
  property,
  resource,
  current,
  received,
}: {
  property: string
  resource: string
  current: boolean | string
  received: boolean | string
}): void {
  if (current === received) return
  throw inequivalent({ key: property, resource, current: `'${current}'`, received: `'${received}'` })
}

/** Refuses to declare a thing again with arguments that differ, in the order in which RabbitMQ compares them. */
export function assertSameArguments({
  keys,
  resource,
  current,
  received,
}: {
  keys: readonly string[]
  resource: string
  current: FieldTable
  received: FieldTable
}): void {
  for (const key of keys) {
    assertSameArgument({ key, resource, current: lookUp(current, key), received: lookUp(received, key) })
  }
}

function assertSameArgument({
  key,
  resource,
  current,
  received,
}: {
  key: string
  resource: string
  current: FieldValue | undefined
  received: FieldValue | undefined
}): void {
  if (!current && !received) return
  if (current && received) {
    if (typeClassOf(current) === typeClassOf(received) && renderTerm(current) === renderTerm(received)) return
    throw inequivalent({
      key,
      resource,
      current: `'${plainTerm(current)}'`,
      received: `'${plainTerm(received)}'`,
    })
  }
  // A queue that was declared without a type is classic.
  if (key === 'x-queue-type' && textOf(current ?? received) === 'classic') return
  throw inequivalent({ key, resource, current: describe(current), received: describe(received) })
}

function inequivalent({
  key,
  resource,
  current,
  received,
}: {
  key: string
  resource: string
  current: string
  received: string
}): ProtocolError {
  return new ProtocolError(
    'PRECONDITION_FAILED',
    `inequivalent arg '${key}' for ${resource}: received ${received} but current is ${current}`,
  )
}

function describe(field: FieldValue | undefined): string {
  return field ? `the value '${plainTerm(field)}' of type '${typeNameOf(field)}'` : 'none'
}

function plainTerm(field: FieldValue): string {
  return textOf(field) ?? renderTerm(field)
}

/** Integers of all widths compare by value, and so do floats. */
function typeClassOf(field: FieldValue): string {
  if ('bBsuIilD'.includes(field.type)) return 'int'
  return field.type === 'f' || field.type === 'd' ? 'float' : field.type
}
