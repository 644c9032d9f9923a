import { countMarks, isMarked, nextMarked, type RowMarks, skipMarked } from './marks.ts'
import type { PositionOrder } from './order-columns.ts'

/** Which page: so many rows, behind so many others. */
export interface RowRange {
  readonly start: number
  readonly limit: number
}

/** A page of those that are marked, as they stand in the queue. */
export function pickRows(marks: RowMarks, { start, limit }: RowRange): readonly number[] {
  const rows: number[] = []
  let at = skipMarked(marks, start)
  for (; at < marks.length && rows.length < limit; at = nextMarked(marks, at + 1)) rows.push(at)
  return rows
}

/** All that are marked, in an order. */
export function orderMarked(marks: RowMarks, order: PositionOrder): PositionOrder {
  const rows = new Uint32Array(countMarks(marks))
  let found = 0
  for (let at = 0; found < rows.length; at += 1) {
    const row = order[at]!
    if (!isMarked(marks, row)) continue
    rows[found] = row
    found += 1
  }
  return rows
}

/** The first of them, where they are near the beginning of the order; undefined where a search would take long. */
export function firstMarked(
  marks: RowMarks,
  order: PositionOrder,
  limit: number,
): readonly number[] | undefined {
  const rows: number[] = []
  for (let at = 0; at < order.length && rows.length < limit; at += 1) {
    if (at === mostSteps) return undefined
    const row = order[at]!
    if (isMarked(marks, row)) rows.push(row)
  }
  return rows
}

/** A fraction of a millisecond. */
const mostSteps = 50_000
