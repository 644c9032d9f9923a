import { type Filter, type IncomingMessage, messageFilter, type RunLimited } from 'warrenmq/operations'
import {
  countMarks,
  createMarks,
  isMarked,
  mark,
  nextMarked,
  type RowMarks,
} from '../snapshot-index/marks.ts'
import { matchColumns } from '../snapshot-index/match-columns.ts'
import type { SnapshotColumns } from '../snapshot-index/snapshot-columns.ts'
import type { SnapshotFile } from './snapshot-file.ts'
import { takeSteps } from './take-steps.ts'

/** Messages that a filter selects, as far as it has been asked. */
export interface SearchResult {
  readonly marks: RowMarks
  readonly matched: number
  /** So many are decided. */
  readonly seen: number
  readonly isWhole: boolean
}

export interface SearchPlace {
  readonly columns: SnapshotColumns
  readonly file: SnapshotFile
  readonly asOfMs: number
  /** Few searches read files at once. */
  readonly inTurn: RunLimited
}

/** How long a search goes on for nobody. */
const abandonedMs = 60_000

/** A filter that is asked of the messages of a snapshot: at once by its index, and of the rest by its file. */
export class SnapshotSearch {
  readonly #place: SearchPlace
  readonly #filter: Filter
  #marks: RowMarks
  /** Aborted where nobody wants to know any more. */
  readonly #ended = new AbortController()
  #matched = 0
  #seen = 0
  #askedAtMs = performance.now()
  readonly #reading: Promise<void>
  #failure: { readonly error: unknown } | undefined

  constructor(filter: Filter, place: SearchPlace) {
    this.#place = place
    this.#filter = filter
    this.#marks = createMarks(place.columns.length)
    this.#reading = this.#search().catch((error: unknown) => {
      if (!this.isAbandoned) this.#failure = { error }
    })
  }

  /** Nothing more will come of it, and not all is known: whoever asks has to begin again. */
  get isAbandoned(): boolean {
    return this.#ended.signal.aborted
  }

  /** What is known, or is within this time. */
  async result(withinMs: number): Promise<SearchResult> {
    this.#askedAtMs = performance.now()
    if (this.#seen < this.#marks.length) await within(this.#reading, withinMs)
    if (this.#failure) throw this.#failure.error
    const { length } = this.#marks
    return { marks: this.#marks, matched: this.#matched, seen: this.#seen, isWhole: this.#seen === length }
  }

  /** Resolves when it reads no more. */
  async close(): Promise<void> {
    this.#ended.abort()
    await this.#reading
  }

  async #search(): Promise<void> {
    const { columns, asOfMs, inTurn } = this.#place
    const { signal } = this.#ended
    const { marks, isExact } = await takeSteps(matchColumns(this.#filter, columns, asOfMs), signal)
    if (isExact) {
      this.#marks = marks
      this.#matched = countMarks(marks)
      this.#seen = marks.length
    } else await inTurn(() => this.#readMarked(marks), signal)
  }

  /** Block by block, and only those that hold a message that may be selected. */
  async #readMarked(candidates: RowMarks): Promise<void> {
    const { columns, file, asOfMs } = this.#place
    const isWanted = messageFilter(this.#filter, asOfMs)
    for (let at = 0; at < candidates.length; ) {
      if (this.#ended.signal.aborted) return
      if (performance.now() - this.#askedAtMs > abandonedMs) {
        this.#ended.abort()
        return
      }
      at = nextMarked(candidates, at)
      this.#seen = at
      if (at === candidates.length) return
      const { block } = columns.placeOf(at)
      const positions = candidatesOf(columns, candidates, { from: at, block })
      const stored = await file.readAll(
        block,
        positions.map((position) => columns.placeOf(position).offset),
      )
      for (const [index, message] of stored.entries()) {
        const position = positions[index]!
        const whole: IncomingMessage = { ...message, ...columns.addressOf(position) }
        if (!isWanted(whole)) continue
        mark(this.#marks, position)
        this.#matched += 1
      }
      at = positions.at(-1)! + 1
      this.#seen = at
    }
  }
}

function candidatesOf(
  columns: SnapshotColumns,
  candidates: RowMarks,
  { from, block }: { readonly from: number; readonly block: number },
): readonly number[] {
  const positions: number[] = []
  for (let at = from; at < candidates.length && columns.placeOf(at).block === block; at += 1)
    if (isMarked(candidates, at)) positions.push(at)
  return positions
}

async function within(work: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, over])
  clearTimeout(timer)
}
