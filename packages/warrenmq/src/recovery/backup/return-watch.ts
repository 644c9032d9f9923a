import type { BackupRecord } from './backup-record.ts'
import { identifyMessage } from './identify-message.ts'

/** What can be a message that was removed, and that a crash of the broker brought back. */
export interface Lookalikes {
  /** How often each message is in the queue that it was removed from, by what it is (`identifyMessage`). */
  readonly present: ReadonlyMap<string, number>
  /** This many more may be there; nobody could look at them. */
  readonly unseen: number
  /** How often each is in a run, by run: a later run removed again what had come back. */
  readonly removed: ReadonlyMap<number, ReadonlyMap<string, number>>
}

/**
 * Says of one removed record after the other, run by run, whether a crash can have brought it back: no more of a run are
 * told than there are others like them, in the queue or in later runs.
 */
export function createReturnWatch(lookalikes: Lookalikes): (record: BackupRecord) => boolean {
  let run = 0
  let others: Map<string, number> = new Map()
  let unseen = 0
  return (record) => {
    if (record.run !== run) {
      run = record.run
      others = othersOf(run, lookalikes)
      unseen = lookalikes.unseen
    }
    if (takeOne(others, record)) return true
    if (unseen === 0) return false
    unseen -= 1
    return true
  }
}

function othersOf(run: number, { present, removed }: Lookalikes): Map<string, number> {
  const others = new Map(present)
  for (const [later, counts] of removed) {
    if (later <= run) continue
    for (const [id, count] of counts) others.set(id, (others.get(id) ?? 0) + count)
  }
  return others
}

function takeOne(others: Map<string, number>, record: BackupRecord): boolean {
  if (others.size === 0) return false // and nothing has to compute which message it is
  const id = identifyMessage(record)
  const count = others.get(id) ?? 0
  if (count > 0) others.set(id, count - 1)
  return count > 0
}
