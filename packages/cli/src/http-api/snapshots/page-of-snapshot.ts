import type { SnapshotPage, SortOrder } from '../contract/contract.ts'
import type { Marks } from '../snapshot-index/marks.ts'
import { firstMarked, orderMarked, pickRows, type RowRange } from '../snapshot-index/pick-rows.ts'
import type { SnapshotReader } from './find-snapshot.ts'
import type { KeptSnapshot } from './kept-snapshot.ts'
import { refuseRunning } from './refuse-unfinished.ts'
import type { SnapshotSelection } from './select-in-snapshot.ts'

/** A page of what was selected. */
export function pageOfSnapshot(
  { context, caller }: SnapshotReader,
  { kept, marks, head }: SnapshotSelection,
  query: { readonly sort?: SortOrder; readonly limit: number; readonly cursor?: string },
): Omit<SnapshotPage, 'since'> {
  refuseRunning(kept)
  const { sort = 'position', limit, cursor } = query
  const start = cursor === undefined ? 0 : Number.parseInt(cursor, 36)
  const { columns } = kept
  const range = { start, limit }
  const positions = pick({ kept, marks, sort, range, isWhole: head.search.isWhole })
  const items = positions.map((position) => ({
    position,
    ...columns.summarise(position, context.renameFor(columns.keys.at(position), caller)),
  }))
  const end = start + items.length
  const hasMore = end < head.matched || !head.search.isWhole
  return { ...head, items, nextCursor: hasMore ? end.toString(36) : null }
}

function pick(fields: {
  kept: KeptSnapshot
  marks: Marks
  sort: SortOrder
  range: RowRange
  isWhole: boolean
}): readonly number[] {
  const { kept, marks, sort, range, isWhole } = fields
  const { start, limit } = range
  const end = Math.min(start + limit, kept.columns.length)
  if (sort === 'position')
    return marks
      ? pickRows(marks, range)
      : Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index)
  const order = kept.order(sort)
  if (!marks) return [...order.subarray(start, end)]
  const first = start === 0 ? firstMarked(marks, order, limit) : undefined
  if (first) return first
  // Of a search that goes on, more will be marked.
  const all = isWhole ? kept.orderMarked(marks, sort) : orderMarked(marks, order)
  return [...all.subarray(start, start + limit)]
}
