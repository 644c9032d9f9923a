import type { SnapshotHistogram } from '../contract/contract.ts'
import { isMarked, type Marks } from './marks.ts'
import type { SnapshotColumns } from './snapshot-columns.ts'
import { timeOf } from './time-of.ts'

/** Round lengths, so that a bar begins where people would begin it. */
const barLengthsMs = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3_600_000),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((days) => days * 86_400_000),
]

/** When messages died, in `most` bars at most. */
export function countTimes(
  { diedMs }: SnapshotColumns,
  marks: Marks,
  most: number,
): Pick<SnapshotHistogram, 'from' | 'to' | 'bucketMs' | 'bars' | 'undated'> {
  const { firstMs, lastMs, undated } = rangeOf(diedMs, marks)
  if (firstMs > lastMs) return { from: null, to: null, bucketMs: 0, bars: [], undated }
  const { bucketMs, begin } = barsOf({ firstMs, lastMs, most })
  const counts = new Uint32Array(Math.floor((lastMs - begin) / bucketMs) + 1)
  for (let at = 0; at < diedMs.length; at += 1) {
    if (marks && !isMarked(marks, at)) continue
    const bar = Math.floor((diedMs[at]! - begin) / bucketMs)
    if (bar >= 0) counts[bar]! += 1
  }
  const bars = Array.from(counts, (count, bar) => ({ from: timeOf(begin + bar * bucketMs)!, count }))
  return { from: timeOf(firstMs), to: timeOf(lastMs), bucketMs, bars, undated }
}

function rangeOf(
  diedMs: Float64Array,
  marks: Marks,
): { readonly firstMs: number; readonly lastMs: number; readonly undated: number } {
  let firstMs = Number.POSITIVE_INFINITY
  let lastMs = Number.NEGATIVE_INFINITY
  let undated = 0
  for (let at = 0; at < diedMs.length; at += 1) {
    if (marks && !isMarked(marks, at)) continue
    const timeMs = diedMs[at]!
    if (Number.isNaN(timeMs)) undated += 1
    if (timeMs < firstMs) firstMs = timeMs
    if (timeMs > lastMs) lastMs = timeMs
  }
  return { firstMs, lastMs, undated }
}

/** Anybody may have written when a message died, so that it may be the year 1: then bars are as long as they have to be. */
function barsOf(fields: { firstMs: number; lastMs: number; most: number }): {
  readonly bucketMs: number
  readonly begin: number
} {
  const { firstMs, lastMs, most } = fields
  const round = barLengthsMs.find(
    (length) => Math.floor(lastMs / length) - Math.floor(firstMs / length) < most,
  )
  // Somewhat longer than they must be: so far apart, a number is not exact to the millisecond.
  if (round === undefined) return { bucketMs: Math.floor((lastMs - firstMs) / most) + 4, begin: firstMs }
  return { bucketMs: round, begin: Math.max(Math.floor(firstMs / round) * round, firstDateMs) }
}

/** JavaScript knows no date before. */
const firstDateMs = -8.64e15
