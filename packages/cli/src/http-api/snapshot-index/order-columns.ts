import type { SortOrder } from '../contract/contract.ts'
import type { SnapshotColumns } from './snapshot-columns.ts'

/** Positions in an order; those of which the value is not known come last, and equal ones as in the queue. */
export type PositionOrder = Uint32Array

/** The numbers of 16 bits that a value is sorted by, so that at most 2^48 are told apart. */
const mostDigits = 3
const radix = 2 ** 16

/** All positions by one field. Takes a few milliseconds for a million; keep what it gives. */
export function orderColumns(columns: SnapshotColumns, sort: SortOrder): PositionOrder {
  const isDown = sort.startsWith('-')
  const field = (isDown ? sort.slice(1) : sort) as 'position' | 'diedAt' | 'bodyBytes' | 'attempts'
  if (field === 'position') {
    const all = Uint32Array.from({ length: columns.length }, (_, position) => position)
    return isDown ? all.reverse() : all
  }
  return orderValues(valuesOf(columns, field), isDown)
}

function valuesOf(
  { diedMs, bodyBytes, attempts: { codes, values } }: SnapshotColumns,
  field: 'diedAt' | 'bodyBytes' | 'attempts',
): Float64Array | Uint32Array {
  if (field === 'diedAt') return diedMs
  if (field === 'bodyBytes') return bodyBytes
  return Float64Array.from(codes, (code) => values[code] ?? Number.NaN)
}

export function orderValues(values: Float64Array | Uint32Array, isDown: boolean): PositionOrder {
  const { lowest, highest, known } = boundsOf(values)
  const range = highest - lowest
  // Of what is wider apart than anything real the order is kept, and neighbours may be taken for equal.
  const scale = range >= radix ** mostDigits ? (radix ** mostDigits - 1) / range : 1
  const top = Math.floor(range * scale)
  const ranks = new Float64Array(values.length)
  const all = new Uint32Array(values.length)
  let next = 0
  let nextUnknown = known
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at]!
    if (Number.isNaN(value)) {
      all[nextUnknown] = at
      nextUnknown += 1
      continue
    }
    const rank = Math.floor((value - lowest) * scale)
    ranks[at] = isDown ? top - rank : rank
    all[next] = at
    next += 1
  }
  let order: Uint32Array = all.slice(0, known)
  for (let weight = 1; weight <= top; weight *= radix) order = sortByDigit(order, ranks, weight)
  all.set(order)
  return all
}

function boundsOf(values: Float64Array | Uint32Array): {
  readonly lowest: number
  readonly highest: number
  readonly known: number
} {
  let lowest = Number.POSITIVE_INFINITY
  let highest = Number.NEGATIVE_INFINITY
  let known = 0
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at]!
    if (value < lowest) lowest = value
    if (value > highest) highest = value
    if (!Number.isNaN(value)) known += 1
  }
  return known === 0 ? { lowest: 0, highest: 0, known } : { lowest, highest, known }
}

/** Leaves those with the same digit in their order. */
function sortByDigit(order: Uint32Array, ranks: Float64Array, weight: number): Uint32Array {
  const digits = new Uint16Array(order.length)
  const ends = new Uint32Array(radix)
  for (let at = 0; at < order.length; at += 1) {
    const digit = Math.floor(ranks[order[at]!]! / weight) % radix
    digits[at] = digit
    ends[digit]! += 1
  }
  let end = 0
  for (let digit = 0; digit < radix; digit += 1) {
    const count = ends[digit]!
    ends[digit] = end
    end += count
  }
  const sorted = new Uint32Array(order.length)
  for (let at = 0; at < order.length; at += 1) {
    const digit = digits[at]!
    sorted[ends[digit]!] = order[at]!
    ends[digit]! += 1
  }
  return sorted
}
