import type { Session } from 'warrenmq/operations'
import type { RecordSeals } from '../records/record-seals.ts'
import {
  type AuditCheck,
  type AuditVerdict,
  type CheckOptions,
  createAuditCheck,
  type OpenQuestion,
} from './audit-check.ts'
import { isAuditRecord } from './audit-record.ts'
import { readOldest, readRange, walkRange } from './read-range.ts'

export interface VerifyTask extends Omit<CheckOptions, 'isKeyed'> {
  readonly stream: string
  /** The offset of the last record. */
  readonly to: number
  /** Judges who wrote a record; without it only hashes are checked. */
  readonly seals?: RecordSeals | undefined
}

/** Proves a log while it is read, so that a long one takes no more memory than a short one. */
export async function verifyStream(session: Session, task: VerifyTask): Promise<AuditVerdict> {
  const { stream, to, seals, ...options } = task
  const check = createAuditCheck({ ...options, isKeyed: seals !== undefined })
  let from = 0
  while (from <= to) {
    let next = to + 1
    await walkRange(session, { stream, from, to, seals }, (entry) => {
      if (check.take(entry) === 'next') return undefined
      next = entry.offset + 1
      return 'stop'
    })
    await answerQuestions(session, stream, check)
    from = next
  }
  return check.verdict()
}

async function answerQuestions(session: Session, stream: string, check: AuditCheck): Promise<void> {
  for (const question of check.takeQuestions())
    check.answer(question, await isThere(session, stream, question))
}

/** A record that the broker has cut off since it was read is one that was there. */
async function isThere(session: Session, stream: string, { offset, hash }: OpenQuestion): Promise<boolean> {
  const entries = await readRange(session, { stream, from: offset, to: offset })
  if (entries.some(({ value }) => isAuditRecord(value) && value.hash === hash)) return true
  return (await readOldest(session, stream)) > offset
}
