import type { AuditRecord } from '../contract.ts'
import { hashRecord, noRecord } from './audit-record.ts'

export type AuditVerdict =
  | { readonly kind: 'whole'; readonly records: number; readonly writers: number }
  | { readonly kind: 'broken'; readonly at: number; readonly problem: string }

/**
 * Proves the records of the stream, in its order. A record sent twice counts once: a lost confirm makes a copy.
 * @param isCut the stream no longer has its beginning, so chains may begin in the middle
 */
export function verifyAudit(
  records: readonly unknown[],
  { isCut }: { readonly isCut: boolean },
): AuditVerdict {
  const lastOf = new Map<string, AuditRecord>()
  for (const [at, given] of records.entries()) {
    if (!isRecord(given)) return { kind: 'broken', at, problem: 'It is no record of Warren.' }
    const problem = findProblem(given, { last: lastOf.get(given.writer), isCut })
    if (problem !== undefined) return { kind: 'broken', at, problem }
    lastOf.set(given.writer, given)
  }
  return { kind: 'whole', records: records.length, writers: lastOf.size }
}

function findProblem(
  record: AuditRecord,
  known: { last: AuditRecord | undefined; isCut: boolean },
): string | undefined {
  const { last, isCut } = known
  if (hashRecord(record) !== record.hash) return 'It was changed: its hash is not that of its fields.'
  if (last?.hash === record.hash) return undefined
  if (last) {
    const isNext = record.number === last.number + 1 && record.previous === last.hash
    return isNext ? undefined : `Records ${last.number + 1} and on of the same writer are missing or changed.`
  }
  if (isCut) return undefined
  const isFirst = record.number === 1 && record.previous === noRecord
  return isFirst ? undefined : 'The first records of its writer are missing.'
}

function isRecord(value: unknown): value is AuditRecord {
  const { hash, writer, number, previous } = (value ?? {}) as Partial<AuditRecord>
  return (
    typeof hash === 'string' &&
    typeof writer === 'string' &&
    typeof number === 'number' &&
    typeof previous === 'string'
  )
}
