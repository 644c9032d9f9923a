import { describe, expect, it } from 'vitest'
import type { AuditRecord } from '../contract/contract.ts'
import { type AuditVerdict, createAuditCheck } from './audit-check.ts'
import {
  type AuditEntry,
  type ChainEnd,
  chainRecord,
  hashRecord,
  noRecord,
  type SeenRecord,
} from './audit-record.ts'

const entry: AuditEntry = {
  by: 'ann',
  wayIn: 'token',
  from: '::1',
  action: 'redrive',
  target: 'a.dlq',
  reason: null,
  result: 'begun',
  receiptDigest: null,
}

/** These have no key; forged-histories.test.ts has. */
const proof = { kind: 'unsigned' } as const

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

interface Verifying {
  /** Where the first of the records stands. */
  readonly firstOffset?: number
  readonly kept?: string
  readonly remembered?: number
}

/** Takes records from a stream that holds them from an offset on, and looks there for what is asked. */
function verify(records: readonly unknown[], { firstOffset = 0, kept, remembered }: Verifying = {}) {
  const check = createAuditCheck({ ...(kept !== undefined && { kept: [{ hash: kept }] }), remembered })
  const asked: number[] = []
  for (const [at, value] of records.entries()) check.take({ offset: firstOffset + at, value, proof })
  for (const question of check.takeQuestions()) {
    asked.push(question.offset)
    const there = records[question.offset - firstOffset] as AuditRecord
    check.answer(question, there.hash === question.hash)
  }
  return { ...check.verdict(), asked }
}

/** With the place of its first problem. */
function verdict(records: readonly unknown[], options: Verifying = {}): AuditVerdict & { at?: number } {
  const { asked: _, ...found } = verify(records, options)
  return found.problems[0] ? { ...found, at: found.problems[0].at } : found
}

const [a1, a2, b1, a3, b2, c1] = writeStream(['a', 'a', 'b', 'a', 'b', 'c']) as [
  ...[AuditRecord, AuditRecord, AuditRecord],
  ...[AuditRecord, AuditRecord, AuditRecord],
]

describe('an audit log', () => {
  it('is whole with several writers between each other, and tells its newest record', () => {
    expect(verdict([a1, a2, b1, a3, b2, c1])).toEqual({
      kind: 'whole',
      records: 6,
      writers: 3,
      newest: c1.hash,
      newestOffset: 5,
      isCut: false,
      isKeyed: false,
      signed: 0,
      unsigned: 6,
      foreign: 0,
      firstSigned: null,
      problemCount: 0,
      problems: [],
    })
  })

  it('is whole with a record that was sent twice', () => {
    expect(verdict([a1, a2, a2, b1]).kind).toBe('whole')
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
    expect(verdict(records)).toMatchObject({ kind: 'broken', at })
  })

  it('may begin in the middle once its beginning was cut off, and says so', () => {
    const records = [b1, a3, b2, c1]

    expect(verdict(records, { firstOffset: 2 })).toMatchObject({ kind: 'whole', isCut: true })
    expect(verdict([b1, a3, c1], { firstOffset: 2 })).toMatchObject({ kind: 'broken', at: 2 })
  })

  it('that lost its newest records is found out by anybody who kept the hash of one', () => {
    const records = [a1, a2, b1]

    expect(verdict(records, { kept: a2.hash }).kind).toBe('whole')
    expect(verdict(records, { kept: c1.hash })).toMatchObject({ kind: 'broken', at: 3 })
  })

  it('is proved by what is remembered, and what is too long ago is read again', () => {
    const writers = ['a', 'b', ...Array.from({ length: 20 }, () => 'a'), 'b', 'a']
    const records = writeStream(writers)

    expect(verify(records, { remembered: 5 })).toMatchObject({ kind: 'whole', records: 24, asked: [1] })
    expect(verify(records)).toMatchObject({ kind: 'whole', asked: [] })
  })

  it('is broken where what is read again is not what was named', () => {
    const [first, ...others] = writeChain(10)
    const named = { hash: first!.hash, offset: 0 }
    const naming = chainRecord(entry, { end: beginning('b'), seen: named, at: 'now' })
    const forged = rehash(first!)
    const chained = [forged]
    while (chained.length < 10) chained.push(follow(chained.at(-1)!))

    expect(verify([first, ...others, naming], { remembered: 5 })).toMatchObject({ kind: 'whole', asked: [0] })
    expect(verify([...chained, naming], { remembered: 5 })).toMatchObject({
      kind: 'broken',
      problems: [{ at: 10 }],
      asked: [0],
    })
  })

  it('is broken where a record names one that stands behind it, however little is remembered', () => {
    const records = writeStream(['a', 'a', 'a', 'b'])
    const end = records[2]!
    const forged = chainRecord(entry, { end, seen: { hash: 'f'.repeat(64), offset: 9 }, at: 'now' })

    expect(verify([...records.slice(0, 3), forged], { remembered: 1 })).toMatchObject({
      kind: 'broken',
      problems: [{ at: 3 }],
      asked: [],
    })
  })

  it('asks before it has too many questions to remember', () => {
    const check = createAuditCheck({ remembered: 1 })
    const records = writeChain(1_100)
    const answers = records.map((value, offset) => check.take({ offset, value, proof }))
    let end: ChainEnd = beginning('b')

    for (let at = 0; at < 1_000; at += 1) {
      const named = chainRecord(entry, { end, seen: { hash: records[at]!.hash, offset: at }, at: 'now' })
      answers.push(check.take({ offset: 1_100 + at, value: named, proof }))
      end = named
    }

    expect(answers.indexOf('ask')).toBe(answers.length - 1)
    expect(check.takeQuestions()).toHaveLength(1_000)
    expect(check.takeQuestions()).toEqual([])
  })
})

function beginning(writer: string): ChainEnd {
  return { writer, number: 0, hash: noRecord }
}

function follow(end: ChainEnd): AuditRecord {
  return chainRecord(entry, { end, seen: undefined, at: 'now' })
}

/** So many records of one writer that sees nobody else. */
function writeChain(count: number): AuditRecord[] {
  const records = [follow(beginning('a'))]
  while (records.length < count) records.push(follow(records.at(-1)!))
  return records
}

function rehash({ hash: _, ...record }: AuditRecord): AuditRecord {
  const changed = { ...record, at: '2031-01-01T00:00:00Z' }
  return { ...changed, hash: hashRecord(changed) }
}
