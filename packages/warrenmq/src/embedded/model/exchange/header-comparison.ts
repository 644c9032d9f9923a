import type { FieldTable, FieldValue } from '../../../wire/field-value.ts'
import { lookUp, renderTerm, textOf, typeNameOf } from '../message/terms.ts'
import { ProtocolError } from '../protocol-error.ts'

/**
 * How two values are compared. 3.x compares numbers of all kinds by value; from 4.0 on an integer never
 * equals a float and a timestamp never matches, because the message's is counted in milliseconds.
 */
export type HeaderComparison = 'by-value' | 'strict'

/** Whether the headers of a message fit the arguments of a binding to a headers exchange. */
export function matchesHeaders(
  bindingArguments: FieldTable,
  headers: FieldTable,
  comparison: HeaderComparison,
): boolean {
  const kind = textOf(lookUp(bindingArguments, 'x-match')) ?? 'all'
  const usesX = kind === 'all-with-x' || kind === 'any-with-x'
  const asked = bindingArguments.filter(({ name }) => name !== 'x-match' && (usesX || !name.startsWith('x-')))
  const isMet = ({ name, value }: FieldTable[number]): boolean => {
    const found = lookUp(headers, name)
    return found !== undefined && (value.type === 'V' || isSame(value, found, comparison))
  }
  return kind === 'any' || kind === 'any-with-x' ? asked.some(isMet) : asked.every(isMet)
}

/** Refuses a binding whose x-match has no meaning. */
export function checkHeadersBinding(bindingArguments: FieldTable): void {
  const kind = lookUp(bindingArguments, 'x-match')
  if (!kind) return
  if (kind.type !== 'S') {
    throw new ProtocolError(
      'PRECONDITION_FAILED',
      `Invalid x-match field type ${typeNameOf(kind)} (value ${renderTerm(kind)}); expected longstr`,
    )
  }
  if (['all', 'any', 'all-with-x', 'any-with-x'].includes(textOf(kind)!)) return
  throw new ProtocolError(
    'PRECONDITION_FAILED',
    `Invalid x-match field value ${renderTerm(kind)}; expected all, any, all-with-x, or any-with-x`,
  )
}

function isSame(asked: FieldValue, found: FieldValue, comparison: HeaderComparison): boolean {
  if (comparison === 'strict' && found.type === 'T') return renderTerm(asked) === String(found.value * 1000n)
  const [a, b] = [numberOf(asked), numberOf(found)]
  if (a === undefined || b === undefined) return renderTerm(asked) === renderTerm(found)
  return a === b && (comparison === 'by-value' || isFloat(asked) === isFloat(found))
}

function numberOf(field: FieldValue): number | undefined {
  if (typeof field.value === 'number') return field.value
  return typeof field.value === 'bigint' ? Number(field.value) : undefined
}

function isFloat(field: FieldValue): boolean {
  return field.type === 'f' || field.type === 'd'
}
