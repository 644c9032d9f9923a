import type { FieldTable } from '../../../wire/field-value.ts'
import { integerOf, lookUp, textOf } from '../message/terms.ts'
import { parseMaxAge } from '../queue/queue-settings.ts'
import type { QueuedMessage } from '../queue/queued-message.ts'

/** The log of a stream. It is cut at its start only, and only by whole segments. */
export interface StreamLog {
  firstOffset(): number
  nextOffset(): number
  bytes(): number
  append(entry: QueuedMessage, atMs: number): void
  read(offset: number): QueuedMessage | undefined
  /** The offset at which a reader starts that asks for it with `x-stream-offset`. */
  startOf(args: FieldTable, nowMs: number): number
  all(): readonly QueuedMessage[]
}

export interface Retention {
  readonly maxBytes: number | undefined
  readonly maxAgeMs: number | undefined
  readonly segmentBytes: number
}

interface Segment {
  readonly firstOffset: number
  readonly entries: { readonly entry: QueuedMessage; readonly atMs: number }[]
  bytes: number
}

export function createStreamLog(retention: () => Retention): StreamLog {
  let segments: Segment[] = [{ firstOffset: 0, entries: [], bytes: 0 }]

  function last(): Segment {
    return segments.at(-1)!
  }

  function nextOffset(): number {
    return last().firstOffset + last().entries.length
  }

  function append(entry: QueuedMessage, atMs: number): void {
    if (last().bytes >= retention().segmentBytes) {
      segments.push({ firstOffset: nextOffset(), entries: [], bytes: 0 })
      trim(atMs)
    }
    last().entries.push({ entry, atMs })
    last().bytes += entry.sizeBytes
  }

  /** Looks at what may go only when a new segment begins, and never takes the one that is written. */
  function trim(nowMs: number): void {
    const { maxBytes = Number.POSITIVE_INFINITY, maxAgeMs = Number.POSITIVE_INFINITY } = retention()
    const isTooMuch = () => segments.length > 1 && totalBytes() > maxBytes
    const isTooOld = () => segments.length > 1 && nowMs - segments[0]!.entries.at(-1)!.atMs > maxAgeMs
    while (isTooMuch() || isTooOld()) segments = segments.slice(1)
  }

  function totalBytes(): number {
    return segments.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  function offsetAt(atMs: number): number {
    for (const { firstOffset, entries } of segments) {
      const index = entries.findIndex((item) => item.atMs >= atMs)
      if (index !== -1) return firstOffset + index
    }
    return nextOffset()
  }

  return {
    firstOffset() {
      return segments[0]!.firstOffset
    },
    nextOffset() {
      return nextOffset()
    },
    bytes() {
      return totalBytes()
    },
    append,
    read: (offset) => {
      const segment = segments.findLast(({ firstOffset }) => firstOffset <= offset)
      return segment?.entries[offset - segment.firstOffset]?.entry
    },
    startOf: (args, nowMs) => {
      const spec = lookUp(args, 'x-stream-offset')
      if (spec?.type === 'T') return offsetAt(Number(spec.value) * 1000)
      const offset = integerOf(spec)
      if (offset !== undefined) return Math.max(offset, segments[0]!.firstOffset)
      const text = textOf(spec)
      if (text === 'first') return segments[0]!.firstOffset
      if (text === 'last') return Math.max(segments[0]!.firstOffset, nextOffset() - 1)
      const ageMs = parseMaxAge(text)
      return ageMs === undefined ? nextOffset() : offsetAt(nowMs - ageMs)
    },
    all: () => segments.flatMap(({ entries }) => entries.map(({ entry }) => entry)),
  }
}
