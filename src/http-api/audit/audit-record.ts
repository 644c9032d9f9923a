import { createHash } from 'node:crypto'
import type { AuditRecord } from '../contract.ts'

/** What is written down of one action. */
export type AuditEntry = Pick<
  AuditRecord,
  'by' | 'wayIn' | 'from' | 'action' | 'target' | 'reason' | 'result' | 'receiptDigest'
>

/** Before the first record of a writer. */
export const noRecord: string = '0'.repeat(64)

/** Where a writer stands: several write to one stream, so each has a chain of its own. */
export interface ChainEnd {
  readonly writer: string
  readonly number: number
  readonly hash: string
}

/** The record that follows. */
export function chainRecord(entry: AuditEntry, end: ChainEnd, at: string): AuditRecord {
  const record = { ...entry, at, writer: end.writer, number: end.number + 1, previous: end.hash }
  return { ...record, hash: hashRecord(record) }
}

/** In a fixed order, since JSON has none. */
export function hashRecord(record: Omit<AuditRecord, 'hash'>): string {
  const { at, by, wayIn, from, action, target, reason, result, receiptDigest } = record
  const { writer, number, previous } = record
  const fields = [
    at,
    by,
    wayIn,
    from,
    action,
    target,
    reason,
    result,
    receiptDigest,
    writer,
    number,
    previous,
  ]
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}
