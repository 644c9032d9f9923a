import type { BackupSeal, RemovalMark, RemovalProgress } from './backup-record.ts'

/** What a file tells of one run, as far as it can be read. */
export interface BackupRun {
  /** Its number, from 1. */
  readonly run: number
  /** Records that can be read. */
  readonly records: number
  /** Records that are known to have been there and cannot be read. */
  readonly missing: number
  /** What the run said at its end; undefined: it was interrupted. */
  readonly seal: BackupSeal | undefined
  /** The last that the discard wrote of its acks; undefined: a backup, or no ack was sent. */
  readonly progress: RemovalProgress | undefined
  /** Only in a file of 0.1 whose discard came to its end. */
  readonly mark: RemovalMark | undefined
  /** False: what cannot be read after its last line may have said that more was removed. */
  readonly isEndKnown: boolean
}

/** The first `removed` records of a run are gone from the queue. Up to `mayBeRemoved`, nobody knows. */
export interface Removal {
  readonly removed: number
  readonly mayBeRemoved: number
  /** False: a crash of the broker can have brought back what was removed. */
  readonly survivesCrash: boolean
}

export type RecordFate = 'removed' | 'in-doubt' | 'left'

const all = Number.POSITIVE_INFINITY

/**
 * What a run of a discard has removed, according to its own lines: each line is on the disk before the first ack that
 * it announces. A run of 0.1 only wrote that all are gone, so without that line any of them may be.
 */
export function decideRemoval({ seal, progress, mark, isEndKnown }: BackupRun): Removal {
  const survivesCrash = (seal ?? progress)?.survivesCrash === true
  if (mark) return { removed: all, mayBeRemoved: all, survivesCrash }
  if (seal) {
    const { removed, inDoubt = 0 } = seal
    return removed === undefined
      ? { removed: 0, mayBeRemoved: all, survivesCrash }
      : { removed, mayBeRemoved: removed + inDoubt, survivesCrash }
  }
  const removed = progress?.removed ?? 0
  return { removed, mayBeRemoved: isEndKnown ? (progress?.removing ?? 0) : all, survivesCrash }
}

/** Whether the message of a record left its queue. */
export function decideFate(number: number, { removed, mayBeRemoved }: Removal): RecordFate {
  if (number <= removed) return 'removed'
  return number <= mayBeRemoved ? 'in-doubt' : 'left'
}

/** What became of the messages of a backup, in their queue. */
export interface RemovalCounts {
  /** Records whose messages are surely gone from the queue. */
  readonly removed: number
  /** Records whose acks were in flight: their messages may be gone. */
  readonly inDoubt: number
  /** Records whose messages are surely still in the queue, as far as this file is concerned. */
  readonly left: number
}

/**
 * The same in numbers, over all runs of a file.
 * @example
 * ```ts
 * const { removed } = countRemovals((await verifyBackup('orders.backup')).runs)
 * ```
 */
export function countRemovals(runs: readonly BackupRun[]): RemovalCounts {
  const counts = { removed: 0, inDoubt: 0, left: 0 }
  for (const run of runs) {
    const written = run.records + run.missing
    const removal = decideRemoval(run)
    const removed = Math.min(removal.removed, written)
    const mayBeRemoved = Math.min(removal.mayBeRemoved, written)
    counts.removed += removed
    counts.inDoubt += mayBeRemoved - removed
    counts.left += written - mayBeRemoved
  }
  return counts
}
