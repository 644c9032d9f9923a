/**
 * The candidate that `name` was most likely meant to be, if one is close.
 * @example
 * ```ts
 * const meant = suggestName('ordres', ['orders', 'invoices'])
 * ```
 */
export function suggestName(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  // A third of the letters may be wrong: fewer misses real slips, more suggests strangers.
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** The same for the names of options and settings, which are often known by a longer or shorter name elsewhere. */
export function suggestSetting(name: string, known: readonly string[]): string | undefined {
  return suggestName(name, known) ?? known.find((one) => isPart(one, name) || isStart(name, one))
}

/** `routingKey` is meant as `key`. */
function isPart(part: string, whole: string): boolean {
  return part.length >= 3 && whole.toLowerCase().includes(part.toLowerCase())
}

/** `deadline` is meant as `deadlineMs`; but `limit` is not meant as `acceptDeliveryLimit`. */
function isStart(start: string, whole: string): boolean {
  return start.length >= 3 && whole.toLowerCase().startsWith(start.toLowerCase())
}

/**
 * ` Did you mean "x"?`, or nothing.
 * @example
 * ```ts
 * const hint = didYouMean('ordres', ['orders', 'invoices'])
 * ```
 */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const suggestion = suggestName(name, candidates)
  return suggestion === undefined ? '' : `; did you mean "${suggestion}"?`
}

/**
 * Insertions, deletions, replacements and swaps of neighbours that lead from one text to the other.
 * @example
 * ```ts
 * editDistance('ordres', 'orders') // 1
 * ```
 */
export function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const isEqual = left[row - 1] === right[column - 1]
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isEqual ? 0 : 1),
        isSwap ? (beforePrevious[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforePrevious = previous
    previous = current
  }
  return previous[right.length] ?? 0
}
