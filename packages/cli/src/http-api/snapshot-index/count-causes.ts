import type { SnapshotCauses } from '../contract/contract.ts'
import { codesByCount } from './codes-by-count.ts'
import { isMarked, type Marks } from './marks.ts'
import type { SnapshotColumns } from './snapshot-columns.ts'
import { timeOf } from './time-of.ts'

/** Causes with their counts, the most frequent first. `nameOf` names the sample to the caller. */
export function countCauses(
  columns: SnapshotColumns,
  marks: Marks,
  nameOf: (position: number) => string,
): SnapshotCauses['causes'] {
  const { codes, values } = columns.causes
  const { diedMs } = columns
  const counts = new Uint32Array(values.length)
  const firsts = new Float64Array(values.length).fill(Number.POSITIVE_INFINITY)
  const lasts = new Float64Array(values.length).fill(Number.NEGATIVE_INFINITY)
  const samples = new Uint32Array(values.length)
  for (let at = 0; at < codes.length; at += 1) {
    if (marks && !isMarked(marks, at)) continue // of a snapshot that is being made, some may have come since they were marked
    const code = codes[at]!
    if (counts[code] === 0) samples[code] = at
    counts[code]! += 1
    const timeMs = diedMs[at]!
    if (timeMs < firsts[code]!) firsts[code] = timeMs
    if (timeMs > lasts[code]!) lasts[code] = timeMs
  }
  return codesByCount(counts).map((code) => ({
    ...values[code]!,
    count: counts[code]!,
    first: timeOf(firsts[code]!),
    last: timeOf(lasts[code]!),
    sample: nameOf(samples[code]!),
  }))
}
