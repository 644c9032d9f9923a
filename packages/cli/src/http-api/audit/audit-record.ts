import { createHash } from 'node:crypto'
import type { AuditRecord } from '../contract/contract.ts'

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

/** A record of another writer, and where it stands. Naming it ties the chains together. */
export interface SeenRecord {
  readonly hash: string
  readonly offset: number
}

/** The record that follows. */
export function chainRecord(
  entry: AuditEntry,
  { end, seen, at }: { readonly end: ChainEnd; readonly seen: SeenRecord | undefined; readonly at: string },
): AuditRecord {
  const chain = { writer: end.writer, number: end.number + 1, previous: end.hash }
  const record = { ...entry, at, ...chain, after: seen?.hash ?? null, afterOffset: seen?.offset ?? null }
  return { ...record, hash: hashRecord(record) }
}

/** In a fixed order, since JSON has none. */
export function hashRecord(record: Omit<AuditRecord, 'hash'>): string {
  const { at, by, wayIn, from, action, target, reason, result, receiptDigest } = record
  const { writer, number, previous, after, afterOffset } = record
  const what = [at, by, wayIn, from, action, target, reason, result, receiptDigest]
  const where = [writer, number, previous, after, afterOffset]
  return createHash('sha256')
    .update(JSON.stringify([...what, ...where]))
    .digest('hex')
}

const textFields = ['at', 'by', 'wayIn', 'from', 'action', 'target', 'result'] as const
const chainFields = ['writer', 'previous', 'hash'] as const
const optionalFields = ['reason', 'receiptDigest', 'after'] as const

/** Whether it has what makes a record one; its hash tells the rest. */
export function isAuditRecord(value: unknown): value is AuditRecord {
  const record = (value ?? {}) as Readonly<Record<string, unknown>>
  const { number, afterOffset } = record
  return (
    [...textFields, ...chainFields].every((name) => typeof record[name] === 'string') &&
    optionalFields.every((name) => record[name] === null || typeof record[name] === 'string') &&
    Number.isSafeInteger(number) &&
    (afterOffset === null || Number.isSafeInteger(afterOffset))
  )
}
