/** A field that tells the messages of one cause apart. */
export interface CauseSplit {
  /** As `--group-by` takes it. */
  readonly field: string
  /** The most frequent first; null for those without such a field. */
  readonly values: readonly { readonly value: string | null; readonly count: number }[]
}

/** How often each value of a field was seen. */
export interface SplitCounts {
  readonly field: string
  readonly values: readonly (readonly [value: string, count: number])[]
}

const mostSplits = 3
/** More parts than these are hardly causes. */
const usualParts = 8

/** The fields that most likely tell causes apart: those named like one, then those that split into a few even parts. */
export function chooseSplits({
  total,
  fields,
}: {
  readonly total: number
  readonly fields: readonly SplitCounts[]
}): readonly CauseSplit[] {
  const splits = fields
    .map((counts) => splitOf(counts, total))
    .filter(({ values }) => values.length > 1 && values.length <= total / 2)
    .toSorted((left, right) => scoreOf(right) - scoreOf(left))
  return splits
    .filter((split, index) => splits.findIndex((each) => isAlike(each, split)) === index)
    .slice(0, mostSplits)
}

function splitOf({ field, values }: SplitCounts, total: number): CauseSplit {
  const without = total - values.reduce((sum, [, count]) => sum + count, 0)
  const counted = [
    ...values.map(([value, count]) => ({ value, count })),
    ...(without > 0 ? [{ value: null, count: without }] : []),
  ]
  return { field, values: counted.toSorted((left, right) => right.count - left.count) }
}

const causeLike = /error|reason|status|code|fault|exception|cause|fail/i

function scoreOf({ field, values }: CauseSplit): number {
  const total = values.reduce((sum, { count }) => sum + count, 0)
  const bits = values.reduce((sum, { count }) => sum - (count / total) * Math.log2(count / total), 0)
  // Of two that split alike the one that a publisher chose for it says more than a part of the body.
  const named = field.startsWith('body.') ? 0 : 0.01
  return (causeLike.test(field) ? 10 : 0) + (values.length <= usualParts ? 5 : 0) + bits + named
}

/** Fields that go together, such as a type and its key, split alike; one of them is enough. */
function isAlike(left: CauseSplit, right: CauseSplit): boolean {
  return (
    left.values.length === right.values.length &&
    left.values.every(({ count }, index) => count === right.values[index]!.count)
  )
}
