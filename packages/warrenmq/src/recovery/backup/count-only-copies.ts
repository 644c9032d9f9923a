import { decideFate, decideRemoval } from './decide-removal.ts'
import { readBackup } from './read-backup.ts'
import { type RecordPlace, readRestored } from './restore-journal.ts'

/** What would be lost with a file. */
export interface OnlyCopies {
  /** Messages that a discard removed, or may have removed, and that were not restored, as far as it is recorded. */
  readonly count: number
  /** Parts of the file cannot be read, so nobody knows what else it holds. */
  readonly isDamaged: boolean
  /** The discard that wrote it did not come to its end, or still runs. */
  readonly isUnfinished: boolean
}

/**
 * Counts the messages that a backup holds the only copy of. One that removed nothing has none: what it holds was in the
 * queue. In doubt a message counts.
 * @example
 * ```ts
 * const { count } = await countOnlyCopies('orders.backup')
 * ```
 */
export async function countOnlyCopies(file: string): Promise<OnlyCopies> {
  const places: RecordPlace[] = []
  const summary = await readBackup(file, (line) => {
    if (line.kind === 'record') places.push({ run: line.record.run, number: line.record.number })
  })
  const { header, runs, missing } = summary
  const isDamaged = summary.isDamaged || summary.tornBytes > 0
  if (header.purpose === 'backup') return { count: 0, isDamaged, isUnfinished: false }
  const wasRestored = await readRestored(file, { backup: header.id })
  const removals = new Map(runs.map((run) => [run.run, decideRemoval(run)]))
  const isOnlyHere = (place: RecordPlace): boolean =>
    decideFate(place.number, removals.get(place.run)!) !== 'left' && !wasRestored(place)
  const isUnfinished = runs.some(({ seal, mark }) => !seal && !mark)
  return { count: places.filter(isOnlyHere).length + missing, isDamaged, isUnfinished }
}
