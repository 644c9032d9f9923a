import type { FilterOperator } from 'warrenmq/operations'
import { bitsPerWord, createMarks, mark, type RowMarks } from './marks.ts'

const rowsPerRange = 1_024

/** Between which moments the messages of a stretch died: they come nearly in that order, so few stretches have to be read. */
export class TimeRanges {
  readonly #firsts: number[] = []
  readonly #lasts: number[] = []
  readonly #hasUndated: boolean[] = []

  /** Of stretches that are full by then. */
  growTo(times: Float64Array): void {
    while ((this.#firsts.length + 1) * rowsPerRange <= times.length) {
      const start = this.#firsts.length * rowsPerRange
      let first = Number.POSITIVE_INFINITY
      let last = Number.NEGATIVE_INFINITY
      let undated = 0
      for (let at = start; at < start + rowsPerRange; at += 1) {
        const time = times[at]!
        if (time < first) first = time
        if (time > last) last = time
        if (Number.isNaN(time)) undated += 1
      }
      this.#firsts.push(first)
      this.#lasts.push(last)
      this.#hasUndated.push(undated > 0)
    }
  }

  /** Marks those that died then. No comparison is true of a message of which nobody knows when. */
  mark(times: Float64Array, condition: TimeCondition): RowMarks {
    const marks = createMarks(times.length)
    for (let start = 0; start < times.length; start += rowsPerRange) {
      const range = start / rowsPerRange
      const end = Math.min(times.length, start + rowsPerRange)
      const share = end - start === rowsPerRange ? this.#shareOf(range, condition) : 'some'
      if (share === 'all') marks.words.fill(0xff_ff_ff_ff, start / bitsPerWord, end / bitsPerWord)
      if (share === 'some') markSome(marks, { times, start, end, condition })
    }
    return marks
  }

  /** A condition that is true, or not, of both ends is so of all between. */
  #shareOf(range: number, condition: TimeCondition): 'all' | 'some' | 'none' {
    const [first, last] = [this.#firsts[range]!, this.#lasts[range]!]
    if (first > last) return 'none'
    const [isFirst, isLast] = [isTrueOf(first, condition), isTrueOf(last, condition)]
    if (!isFirst && !isLast) return 'none'
    return isFirst && isLast && !this.#hasUndated[range] ? 'all' : 'some'
  }
}

export interface TimeCondition {
  readonly operator: FilterOperator
  readonly limit: number
}

/** `=` is refused where a filter is read. */
function isTrueOf(time: number, { operator, limit }: TimeCondition): boolean {
  switch (operator) {
    case '<':
      return time < limit
    case '<=':
      return time <= limit
    case '>':
      return time > limit
    default:
      return time >= limit
  }
}

function markSome(
  marks: RowMarks,
  fields: { times: Float64Array; start: number; end: number; condition: TimeCondition },
): void {
  const { times, start, end, condition } = fields
  for (let at = start; at < end; at += 1) if (isTrueOf(times[at]!, condition)) mark(marks, at)
}
