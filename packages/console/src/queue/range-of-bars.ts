import type { Schemas } from '../api/api.ts'
import type { DeathRange } from '../filter/death-range.ts'

type Histogram = Pick<Schemas['SnapshotHistogram'], 'bars' | 'bucketMs'>

/** From the first to the last of these bars, whichever was named first. */
export function rangeOfBars(
  { bars, bucketMs }: Histogram,
  one: number,
  other: number,
): DeathRange | undefined {
  const first = bars[Math.min(one, other)]
  const last = bars[Math.max(one, other)]
  if (!first || !last) return undefined
  return { fromMs: Date.parse(first.from), toMs: Date.parse(last.from) + bucketMs }
}

/** Whether a bar lies, with any part, in the range. */
export function isBarWithin({ bars, bucketMs }: Histogram, index: number, range: DeathRange): boolean {
  const fromMs = Date.parse(bars[index]?.from ?? '')
  return fromMs < range.toMs && fromMs + bucketMs > range.fromMs
}
