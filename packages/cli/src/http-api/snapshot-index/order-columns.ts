import type { SortOrder } from '../contract/contract.ts'
import type { SnapshotColumns } from './snapshot-columns.ts'

/** Positions in an order; those of which the value is not known come last, and equal ones as in the queue. */
export type PositionOrder = Uint32Array

/** The numbers of 16 bits that a value is sorted by, so that 2^48 are told apart. */
const digits = 3
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
  const { lowest, highest } = boundsOf(values)
  const range = highest - lowest
  const isWide = range >= radix ** digits
  // Of what is wider apart than anything real the order is kept, and neighbours may be taken for equal.
  const scale = isWide ? (radix ** digits - 1) / range : 1
  const rankOf = (value: number): number => {
    const rank = Math.floor((value - lowest) * scale)
    return isDown ? Math.floor(range * scale) - rank : rank
  }
  const known: number[] = []
  const unknown: number[] = []
  for (let at = 0; at < values.length; at += 1) (Number.isNaN(values[at]!) ? unknown : known).push(at)
  const ranks = Float64Array.from(values, rankOf)
  let order: Uint32Array = Uint32Array.from(known)
  for (let digit = 0; digit < digits; digit += 1) order = sortByDigit(order, ranks, radix ** digit)
  const all = new Uint32Array(values.length)
  all.set(order)
  all.set(unknown, order.length)
  return all
}

function boundsOf(values: Float64Array | Uint32Array): { readonly lowest: number; readonly highest: number } {
  let lowest = Number.POSITIVE_INFINITY
  let highest = Number.NEGATIVE_INFINITY
  for (const value of values) {
    if (value < lowest) lowest = value
    if (value > highest) highest = value
  }
  return lowest > highest ? { lowest: 0, highest: 0 } : { lowest, highest }
}

/** Leaves those with the same digit in their order. */
function sortByDigit(order: Uint32Array, ranks: Float64Array, weight: number): Uint32Array {
  const digitOf = (position: number): number => Math.floor(ranks[position]! / weight) % radix
  const ends = new Uint32Array(radix)
  for (const position of order) ends[digitOf(position)]! += 1
  let end = 0
  for (let digit = 0; digit < radix; digit += 1) {
    const count = ends[digit]!
    ends[digit] = end
    end += count
  }
  const sorted = new Uint32Array(order.length)
  for (const position of order) {
    const digit = digitOf(position)
    sorted[ends[digit]!] = position
    ends[digit]! += 1
  }
  return sorted
}
