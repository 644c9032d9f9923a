import type { AuditRecord } from '../contract.ts'
import { hashRecord, isAuditRecord, noRecord } from './audit-record.ts'

export type AuditVerdict =
  | {
      readonly kind: 'whole'
      readonly records: number
      readonly writers: number
      /** The hash of the newest. Whoever keeps it can tell later that nothing up to here was cut off. */
      readonly newest: string | null
      /** The stream no longer has its beginning. */
      readonly isCut: boolean
    }
  | { readonly kind: 'broken'; readonly at: number; readonly problem: string }

export interface AuditStream {
  /** In the order of the stream. */
  readonly records: readonly unknown[]
  /** Where in the stream the first of them stands. Above 0 chains may begin in the middle. */
  readonly firstOffset: number
}

/** What was read so far. */
interface Known {
  readonly lastOf: Map<string, AuditRecord>
  readonly hashes: Set<string>
  readonly firstOffset: number
}

/**
 * Proves the records of the stream. A record sent twice counts once: a lost confirm makes a copy.
 * @param kept the hash of a record that must be there
 */
export function verifyAudit({ records, firstOffset }: AuditStream, kept?: string): AuditVerdict {
  const known: Known = { lastOf: new Map(), hashes: new Set(), firstOffset }
  let newest: string | null = null
  for (const [at, record] of records.entries()) {
    if (!isAuditRecord(record)) return { kind: 'broken', at, problem: 'It is no record of Warren.' }
    const problem = findProblem(record, known)
    if (problem !== undefined) return { kind: 'broken', at, problem }
    known.lastOf.set(record.writer, record)
    known.hashes.add(record.hash)
    newest = record.hash
  }
  if (kept !== undefined && !known.hashes.has(kept))
    return { kind: 'broken', at: records.length, problem: `The record ${kept} is not there any more.` }
  return {
    ...{ kind: 'whole', records: records.length, writers: known.lastOf.size, newest },
    isCut: firstOffset > 0,
  }
}

function findProblem(record: AuditRecord, known: Known): string | undefined {
  if (hashRecord(record) !== record.hash) return 'It was changed: its hash is not that of its fields.'
  const last = known.lastOf.get(record.writer)
  if (last?.hash === record.hash) return undefined
  return findGap(record, { last, isCut: known.firstOffset > 0 }) ?? findMissing(record, known)
}

/** Between the records of one writer. */
function findGap(
  record: AuditRecord,
  { last, isCut }: { last: AuditRecord | undefined; isCut: boolean },
): string | undefined {
  if (last) {
    const isNext = record.number === last.number + 1 && record.previous === last.hash
    return isNext
      ? undefined
      : `Record ${last.number + 1} of the same writer is missing, changed or out of order.`
  }
  if (isCut) return undefined
  const isFirst = record.number === 1 && record.previous === noRecord
  return isFirst ? undefined : 'The first records of its writer are missing.'
}

/** Of the records of others. */
function findMissing({ after, afterOffset }: AuditRecord, known: Known): string | undefined {
  if (after === null || known.hashes.has(after)) return undefined
  const isBeforeCut = (afterOffset ?? 0) < known.firstOffset
  return isBeforeCut
    ? undefined
    : `The record ${after} of another writer, which its writer had seen, is missing, changed or out of order.`
}
