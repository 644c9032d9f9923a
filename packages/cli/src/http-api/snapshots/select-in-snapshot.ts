import { parseFilter } from 'warrenmq/operations'
import type { SnapshotPage } from '../contract/contract.ts'
import { refuseHiddenFields } from '../guards/refuse-hidden-fields.ts'
import type { Marks } from '../snapshot-index/marks.ts'
import { countMarks } from '../snapshot-index/marks.ts'
import { matchColumns } from '../snapshot-index/match-columns.ts'
import type { SnapshotReader } from './find-snapshot.ts'
import type { KeptSnapshot } from './kept-snapshot.ts'
import { notDone, orGone, refuseUnfinished } from './refuse-unfinished.ts'
import type { SearchResult } from './snapshot-search.ts'
import { goneSnapshot } from './snapshots.ts'
import { takeSteps } from './take-steps.ts'

/** How long an answer waits for a filter that reads the file; then it tells how far that is. */
const mostWaitMs = 500

/** What is read of a snapshot, with the words that every read has. */
export interface SnapshotSelection {
  readonly kept: KeptSnapshot
  readonly marks: Marks
  readonly head: Omit<SnapshotPage, 'items' | 'nextCursor' | 'since'>
}

/** Selects by a filter; of one that is running only by what its index tells. */
export async function selectInSnapshot(
  { context, caller }: SnapshotReader,
  kept: KeptSnapshot,
  where: string | undefined,
): Promise<SnapshotSelection> {
  refuseUnfinished(kept)
  const { length } = kept.columns
  const found = where === undefined ? undefined : await ask({ context, caller }, kept, where)
  if (kept.isErased) throw goneSnapshot(kept.id) // while it was searched
  const { queue, id: snapshot, asOfMs } = kept
  const { matched = length, seen = length, isWhole = true } = found ?? {}
  const search = { seen, isWhole }
  const asOf = new Date(asOfMs).toISOString()
  return {
    kept,
    marks: found?.marks,
    head: { queue, snapshot, asOf, messages: found?.marks.length ?? length, matched, search },
  }
}

async function ask(
  { context, caller }: SnapshotReader,
  kept: KeptSnapshot,
  where: string,
): Promise<SearchResult> {
  const filter = parseFilter(where)
  refuseHiddenFields(filter, { caller, settings: context.settings })
  if (kept.state !== 'running') return orGone(kept, () => kept.search(where).result(mostWaitMs))
  const { marks, isExact } = await takeSteps(matchColumns(filter, kept.columns, kept.asOfMs))
  if (!isExact) throw notDone(kept)
  const matched = countMarks(marks)
  return { marks, matched, seen: marks.length, isWhole: true }
}
