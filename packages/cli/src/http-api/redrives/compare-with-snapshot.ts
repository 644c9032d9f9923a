import type { IncomingMessage, RedriveOptions } from 'warrenmq/operations'
import type { RedrivePlan } from '../contract/contract.ts'
import { isMarked, type Marks } from '../snapshot-index/marks.ts'
import type { SnapshotReader } from '../snapshots/find-snapshot.ts'
import type { KeptSnapshot } from '../snapshots/kept-snapshot.ts'
import { refuseRunning } from '../snapshots/refuse-unfinished.ts'
import { selectInSnapshot } from '../snapshots/select-in-snapshot.ts'

/** Counts what a plan selects against what was selected in a snapshot. */
export interface SnapshotComparison {
  /** The options with a selection that is counted. */
  readonly options: RedriveOptions
  readonly differ: () => NonNullable<RedrivePlan['sinceSnapshot']>
}

/** Each takes some hundred bytes and a moment while the look goes on. */
const mostCompared = 250_000

/** Undefined where the snapshot is not wholly searched, which may take a while, or where there are too many. */
export async function compareWithSnapshot(
  reader: SnapshotReader,
  kept: KeptSnapshot,
  {
    options,
    nameOf,
  }: { readonly options: RedriveOptions; readonly nameOf: (message: IncomingMessage) => string },
): Promise<SnapshotComparison | undefined> {
  refuseRunning(kept)
  const { where, keys } = options.request ?? {}
  const { marks, head } = await selectInSnapshot(reader, kept, where)
  if (!head.search.isWhole || head.matched > mostCompared) return undefined
  const left = countNames(kept, marks, reader, keys)
  let come = 0
  const { select = () => true } = options
  const count = (message: IncomingMessage): void => {
    const name = nameOf(message)
    const known = left.get(name) ?? 0
    if (known === 0) come += 1
    else left.set(name, known - 1)
  }
  return {
    options: {
      ...options,
      select: (message) => {
        const isSelected = select(message)
        if (isSelected) count(message)
        return isSelected
      },
    },
    differ: () => ({ asOf: head.asOf, gone: [...left.values()].reduce((sum, each) => sum + each, 0), come }),
  }
}

function countNames(
  { columns }: KeptSnapshot,
  marks: Marks,
  { context, caller }: SnapshotReader,
  keys: readonly string[] | undefined,
): Map<string, number> {
  const wanted = keys && new Set(keys)
  const counts = new Map<string, number>()
  for (let at = 0; at < columns.length; at += 1) {
    if (marks && !isMarked(marks, at)) continue
    const name = context.renameFor(columns.keys.at(at), caller)
    if (!wanted || wanted.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
