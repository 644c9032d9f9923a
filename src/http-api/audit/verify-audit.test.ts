import { describe, expect, it } from 'vitest'
import type { AuditRecord } from '../contract.ts'
import { type AuditEntry, chainRecord, hashRecord, noRecord } from './audit-record.ts'
import { verifyAudit } from './verify-audit.ts'

const entry: AuditEntry = {
  ...{ by: 'ann', wayIn: 'token', from: '::1', action: 'redrive', target: 'a.dlq', reason: null },
  ...{ result: 'begun', receiptDigest: null },
}

function chain(writer: string, count: number): AuditRecord[] {
  const records: AuditRecord[] = []
  for (let at = 0; at < count; at += 1) {
    const end = records.at(-1) ?? { writer, number: 0, hash: noRecord }
    records.push(chainRecord(entry, end, `2030-01-01T00:00:0${at}Z`))
  }
  return records
}

const whole = { isCut: false }
const one = chain('one', 3)
const two = chain('two', 2)

describe('an audit log', () => {
  it('is whole with several writers between each other', () => {
    const records = [one[0], two[0], one[1], two[1], one[2]]
    expect(verifyAudit(records, whole)).toEqual({ kind: 'whole', records: 5, writers: 2 })
  })

  it('is whole with a record that was sent twice', () => {
    expect(verifyAudit([one[0], one[1], one[1], one[2]], whole).kind).toBe('whole')
  })

  it.each<[string, unknown[], number]>([
    ['a record was changed', [one[0], { ...one[1], by: 'bob' }], 1],
    ['a record was changed and hashed anew', [one[0], rehash({ ...one[1]!, by: 'bob' }), one[2]], 2],
    ['a record is missing', [one[0], one[2]], 1],
    ['the first record of a writer is missing', [one[1]], 0],
    ['a writer begins in the middle', [one[0], two[1]], 1],
    ['something else was written into it', [one[0], { hello: 1 }], 1],
    ['what was written is no JSON', [undefined], 0],
  ])('is broken where %s', (_, records, at) => {
    expect(verifyAudit(records, whole)).toMatchObject({ kind: 'broken', at })
  })

  it('may begin in the middle once its beginning was cut off', () => {
    expect(verifyAudit([one[1], two[0], one[2]], { isCut: true }).kind).toBe('whole')
  })
})

function rehash({ hash: _, ...record }: AuditRecord): AuditRecord {
  return { ...record, hash: hashRecord(record) }
}
