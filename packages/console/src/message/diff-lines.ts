/** A line that stayed, went or came. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Above this many comparisons the texts are shown one after the other: nobody reads such a difference line by line. */
const mostComparisons = 4_000_000

/** The shortest way from one text to another, by lines. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const old = before.split('\n')
  const now = after.split('\n')
  if (old.length * now.length > mostComparisons) return [...removed(old), ...added(now)]
  const common = commonLengths(old, now)
  const lines: DiffLine[] = []
  let left = 0
  let right = 0
  while (left < old.length && right < now.length) {
    const isLess = common[left + 1]![right]! >= common[left]![right + 1]!
    if (old[left] === now[right]) {
      lines.push({ kind: 'same', text: old[left]! })
      left += 1
      right += 1
    } else if (isLess) {
      lines.push({ kind: 'removed', text: old[left]! })
      left += 1
    } else {
      lines.push({ kind: 'added', text: now[right]! })
      right += 1
    }
  }
  return [...lines, ...removed(old.slice(left)), ...added(now.slice(right))]
}

function removed(lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ kind: 'removed', text }))
}

function added(lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ kind: 'added', text }))
}

/** How many lines the rests of both have in common, from each place to the end. */
function commonLengths(old: readonly string[], now: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  for (let left = old.length - 1; left >= 0; left -= 1)
    for (let right = now.length - 1; right >= 0; right -= 1)
      table[left]![right] =
        old[left] === now[right]
          ? table[left + 1]![right + 1]! + 1
          : Math.max(table[left + 1]![right]!, table[left]![right + 1]!)
  return table
}
