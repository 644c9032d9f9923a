import { describe, expect, it } from 'vitest'
import type { AuditRecord } from '../contract.ts'
import { type AuditEntry, chainRecord, hashRecord, noRecord, type SeenRecord } from './audit-record.ts'
import { verifyAudit } from './verify-audit.ts'

const entry: AuditEntry = {
  ...{ by: 'ann', wayIn: 'token', from: '::1', action: 'redrive', target: 'a.dlq', reason: null },
  ...{ result: 'begun', receiptDigest: null },
}

/** Writes the records of several writers into one stream; each sees all that stands there. */
function writeStream(writers: readonly string[]): AuditRecord[] {
  const stream: AuditRecord[] = []
  for (const [at, writer] of writers.entries()) {
    const end = stream.findLast((record) => record.writer === writer) ?? { writer, number: 0, hash: noRecord }
    const offset = stream.findLastIndex((record) => record.writer !== writer)
    const seen: SeenRecord | undefined = offset < 0 ? undefined : { offset, hash: stream[offset]!.hash }
    stream.push(chainRecord(entry, { end, seen, at: `2030-01-01T00:00:0${at}Z` }))
  }
  return stream
}

const verify = (records: readonly unknown[]) => verifyAudit({ records, firstOffset: 0 })
const [a1, a2, b1, a3, b2, c1] = writeStream(['a', 'a', 'b', 'a', 'b', 'c']) as [
  ...[AuditRecord, AuditRecord, AuditRecord],
  ...[AuditRecord, AuditRecord, AuditRecord],
]

describe('an audit log', () => {
  it('is whole with several writers between each other, and tells its newest record', () => {
    expect(verify([a1, a2, b1, a3, b2, c1])).toEqual({
      ...{ kind: 'whole', records: 6, writers: 3, newest: c1.hash, isCut: false },
    })
  })

  it('is whole with a record that was sent twice', () => {
    expect(verify([a1, a2, a2, b1]).kind).toBe('whole')
  })

  it.each<[string, unknown[], number]>([
    ['a record was changed', [a1, { ...a2, by: 'bob' }], 1],
    ['a record was changed and hashed anew', [a1, rehash({ ...a2, by: 'bob' }), b1], 2],
    ['the last record of a writer was changed and hashed anew', [a1, a2, b1, a3, rehash({ ...b2 }), c1], 5],
    ['a record is missing', [a1, b1, a3], 1],
    ['the first record of a writer is missing', [a2], 0],
    ['a writer begins in the middle', [a1, a2, b2], 2],
    ['all records of a writer are missing', [a1, a2, a3, c1], 2],
    ['records of one writer changed places', [a2, a1], 0],
    ['records of two writers changed places', [a1, b1, a2], 1],
    ['something else was written into it', [a1, { hello: 1 }], 1],
    ['what was written is no JSON', [undefined], 0],
  ])('is broken where %s', (_, records, at) => {
    expect(verify(records)).toMatchObject({ kind: 'broken', at })
  })

  it('may begin in the middle once its beginning was cut off, and says so', () => {
    const records = [b1, a3, b2, c1]

    expect(verifyAudit({ records, firstOffset: 2 })).toMatchObject({ kind: 'whole', isCut: true })
    expect(verifyAudit({ records: [b1, a3, c1], firstOffset: 2 })).toMatchObject({ kind: 'broken', at: 2 })
  })

  it('that lost its newest records is found out by whoever kept the hash of one', () => {
    const stream = { records: [a1, a2, b1], firstOffset: 0 }

    expect(verifyAudit(stream, a2.hash).kind).toBe('whole')
    expect(verifyAudit(stream, c1.hash)).toMatchObject({ kind: 'broken', at: 3 })
  })
})

function rehash({ hash: _, ...record }: AuditRecord): AuditRecord {
  const changed = { ...record, at: '2031-01-01T00:00:00Z' }
  return { ...changed, hash: hashRecord(changed) }
}
