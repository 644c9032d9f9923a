import type { Session } from 'warrenmq/operations'
import { followStream, type StreamEntry } from './follow-stream.ts'
import { isReplay, type SeenNumbers } from './is-replay.ts'
import type { RecordSeals } from './record-seals.ts'
import type { StrayKind, Strays } from './strays.ts'

export interface RecordTask<Kept> {
  readonly session: Session
  readonly stream: string
  readonly seals: RecordSeals
  readonly strays: Pick<Strays, 'found'>
  /** Undefined for what is no record of this stream. */
  readonly read: (value: unknown) => Kept | undefined
  /** @param isSigned whether a server with our key wrote it, and this is the first time that it is read */
  readonly onRecord: (record: Kept, isSigned: boolean) => void
}

/**
 * Tells the records that servers have written to a stream, from its first on. What does not belong there is counted
 * and passed over: anybody who may write to the default exchange can put anything there.
 */
export function followRecords<Kept>(task: RecordTask<Kept>): { readonly close: () => Promise<void> } {
  const { session, stream, seals, strays, read, onRecord } = task
  const seen: SeenNumbers = new Map()
  return followStream({
    session,
    stream,
    from: 'first',
    seals,
    onEntry: (entry) => {
      const record = read(entry.value)
      const stray = record === undefined ? 'unreadable' : strayOf(entry, seen)
      if (stray) strays.found(stream, stray)
      if (record !== undefined && stray !== 'replayed') onRecord(record, stray === undefined)
    },
  })
}

function strayOf({ proof }: StreamEntry, seen: SeenNumbers): StrayKind | undefined {
  if (proof.kind !== 'signed') return proof.kind
  return isReplay(seen, proof) ? 'replayed' : undefined
}
