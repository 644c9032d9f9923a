import type { Session } from 'warrenmq/operations'
import { decideRepeat, type Repeat, type SeenNumbers } from './decide-repeat.ts'
import { followStream, type StreamEntry } from './follow-stream.ts'
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
      const kind = record === undefined ? 'unreadable' : kindOf(entry, seen)
      if (kind === 'known') return
      if (kind !== 'new') strays.found(stream, kind)
      if (record !== undefined && kind !== 'replayed') onRecord(record, kind === 'new')
    },
  })
}

function kindOf({ proof }: StreamEntry, seen: SeenNumbers): Repeat | StrayKind {
  return proof.kind === 'signed' ? decideRepeat(seen, proof) : proof.kind
}
