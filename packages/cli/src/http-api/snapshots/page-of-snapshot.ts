import type { SnapshotPage, SortOrder } from '../contract/contract.ts'
import type { Marks } from '../snapshot-index/marks.ts'
import type { SnapshotReader } from './find-snapshot.ts'
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
  const order = sort === 'position' ? undefined : kept.order(sort)
  const positions = pick({ length: columns.length, marks, order, start, limit })
  const items = positions.map((position) => ({
    position,
    ...columns.summarise(position, context.renameFor(columns.keys.at(position), caller)),
  }))
  const end = start + items.length
  const hasMore = end < head.matched || !head.search.isWhole
  return { ...head, items, nextCursor: hasMore ? end.toString(36) : null }
}

function pick(fields: {
  length: number
  marks: Marks
  order: Uint32Array | undefined
  start: number
  limit: number
}): readonly number[] {
  const { length, marks, order, start, limit } = fields
  const positions: number[] = []
  let skip = marks ? start : 0
  for (let at = marks ? 0 : start; at < length && positions.length < limit; at += 1) {
    const position = order ? order[at]! : at
    if (marks && marks[position] === 0) continue
    if (skip > 0) skip -= 1
    else positions.push(position)
  }
  return positions
}
