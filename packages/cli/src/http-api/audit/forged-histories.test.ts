import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuditRecord } from '../contract/contract.ts'
import { createRecordSeals, type RecordSeals } from '../records/record-seals.ts'
import { parseServerKeys } from '../records/server-keys.ts'
import { type AuditVerdict, type CheckOptions, createAuditCheck } from './audit-check.ts'
import { type AuditEntry, chainRecord, hashRecord, noRecord } from './audit-record.ts'

/** How many histories each law is held against. */
const numRuns = 200

const place = { vhost: '/', stream: 'warren.audit' }
const keyed = (letter: string, where = place): RecordSeals =>
  createRecordSeals(parseServerKeys(letter.repeat(32), 'The test'), where)
const verifier = keyed('k')
const entry: AuditEntry = {
  by: 'ann',
  wayIn: 'oidc',
  from: '::1',
  action: 'redrive',
  target: 'a.dlq',
  reason: null,
  result: 'begun',
  receiptDigest: null,
}

/** One message of the stream, as the broker keeps it. */
interface Kept {
  readonly value: unknown
  readonly seal: string | undefined
}

const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? '')
const recordOf = ({ value }: Kept): AuditRecord => value as AuditRecord
const sealed = (seals: RecordSeals, value: unknown): Kept => ({ value, seal: seals.seal(bytesOf(value)) })

/** What servers write who see all that stands there: each number says who writes next. */
function writeHistory(order: readonly number[]): Kept[] {
  const servers = [0, 1, 2, 3].map((at) => ({ writer: `server-${at}`, seals: keyed('k') }))
  const stream: Kept[] = []
  for (const [at, who] of order.entries()) {
    const { writer, seals } = servers[who]!
    const own = stream.map(recordOf).findLast((record) => record.writer === writer)
    const offset = stream.findLastIndex((each) => recordOf(each).writer !== writer)
    const seen = offset < 0 ? undefined : { offset, hash: recordOf(stream[offset]!).hash }
    const end = own ?? { writer, number: 0, hash: noRecord }
    stream.push(sealed(seals, chainRecord({ ...entry, target: `q-${at}` }, { end, seen, at: `t${at}` })))
  }
  return stream
}

function verify(stream: readonly Kept[], options: CheckOptions = {}): AuditVerdict {
  const check = createAuditCheck({ isKeyed: true, ...options })
  for (const [offset, { value, seal }] of stream.entries())
    check.take({ offset, value, proof: verifier.judge(seal, bytesOf(value)) })
  for (const { offset, hash } of check.takeQuestions())
    check.answer({ at: 0, offset, hash }, recordOf(stream[offset]!).hash === hash)
  return check.verdict()
}

const history = fc
  .array(fc.nat(3), { minLength: 2, maxLength: 40 })
  .map((order) => ({ order, stream: writeHistory(order) }))
/** A history, and a place in it. */
const withPlace = history.chain(({ order, stream }) =>
  fc.record({ at: fc.nat(stream.length - 1), to: fc.nat(stream.length - 1) }).map(({ at, to }) => ({
    order,
    stream,
    at,
    to,
  })),
)

/** The same records in another order, or fewer: whether that could have been written, by the rules and not by the code. */
function isPossible(stream: readonly Kept[]): boolean {
  const written = new Map<string, string>()
  const seen = new Set<string>()
  return stream.map(recordOf).every(({ writer, previous, hash, after }) => {
    const isNext = (written.get(writer) ?? noRecord) === previous
    const isCopy = written.get(writer) === hash
    const isTied = after === null || seen.has(after)
    written.set(writer, hash)
    seen.add(hash)
    return (isNext || isCopy) && isTied
  })
}

describe('a history that nobody touched', () => {
  it('is whole, with every record signed', () => {
    fc.assert(
      fc.property(history, ({ order, stream }) => {
        expect(verify(stream)).toMatchObject({
          kind: 'whole',
          records: order.length,
          signed: order.length,
          unsigned: 0,
          foreign: 0,
          writers: new Set(order).size,
          newest: recordOf(stream.at(-1)!).hash,
          problems: [],
        })
      }),
      { numRuns },
    )
  })

  it('is whole with what was sent twice because a confirm was lost', () => {
    fc.assert(
      fc.property(withPlace, ({ stream, at }) => {
        expect(verify(stream.toSpliced(at, 0, stream[at]!)).kind).toBe('whole')
      }),
      { numRuns },
    )
  })

  it('is whole from where signing began if that place is named, and broken if it is not', () => {
    fc.assert(
      fc.property(withPlace, ({ stream, at }) => {
        const begun = stream.map((each, offset) => (offset < at ? { ...each, seal: undefined } : each))

        expect(verify(begun, { unsignedBefore: at })).toMatchObject({ kind: 'whole', unsigned: at })
        expect(verify(begun).kind).toBe(at === 0 ? 'whole' : 'broken')
        expect(verify(begun, { unsignedBefore: at - 1 }).kind).toBe(at === 0 ? 'whole' : 'broken')
      }),
      { numRuns },
    )
  })
})

describe('who may write to the stream, and has no key,', () => {
  /** What somebody can make who knows all that stands there: chained and hashed as a server would. */
  const forgers: readonly [string, (record: AuditRecord) => Kept][] = [
    ['without a seal', (value) => ({ value, seal: undefined })],
    ['with a seal of their own key', (value) => sealed(keyed('x'), value)],
    [
      'with a seal of the same key for another stream',
      (value) => sealed(keyed('k', { ...place, stream: 'warren.tasks' }), value),
    ],
    [
      'with a seal of the same key for another vhost',
      (value) => sealed(keyed('k', { ...place, vhost: 'x' }), value),
    ],
  ]
  const told = { kind: 'broken', unsigned: 1, problemCount: 1 }

  it.each(forgers)('cannot invent a writer %s', (_, make) => {
    fc.assert(
      fc.property(withPlace, fc.boolean(), ({ stream, at }, isTied) => {
        const seen = isTied ? { offset: at, hash: recordOf(stream[at]!).hash } : undefined
        const end = { writer: 'invented', number: 0, hash: noRecord }
        const forged = make(chainRecord(entry, { end, seen, at: 'now' }))

        expect(verify(stream.toSpliced(at + 1, 0, forged))).toMatchObject({
          ...told,
          signed: stream.length,
          problems: [{ at: at + 1 }],
        })
      }),
      { numRuns },
    )
  })

  it.each(forgers)(
    "cannot go on with a server's chain %s, whether that server has ended or not",
    (_, make) => {
      fc.assert(
        fc.property(withPlace, ({ stream, at, to }) => {
          const end = stream
            .slice(0, to + 1)
            .map(recordOf)
            .findLast(({ writer }) => writer === recordOf(stream[at]!).writer)
          fc.pre(end !== undefined)
          const forged = make(chainRecord(entry, { end: end!, seen: undefined, at: 'now' }))

          // Told once: what the server itself writes after it is none the worse for it.
          expect(verify(stream.toSpliced(to + 1, 0, forged))).toMatchObject({
            ...told,
            signed: stream.length,
            problems: [{ at: to + 1 }],
          })
        }),
        { numRuns },
      )
    },
  )

  it('cannot end the check by junk, and all behind it is checked', () => {
    const junk = fc.oneof(fc.constant(undefined), fc.jsonValue(), fc.object())
    fc.assert(
      fc.property(withPlace, fc.array(junk, { minLength: 1, maxLength: 5 }), ({ stream, at }, all) => {
        const changed = stream.with(-1, {
          ...stream.at(-1)!,
          value: { ...recordOf(stream.at(-1)!), by: 'bob' },
        })
        const littered = changed.toSpliced(at, 0, ...all.map((value) => ({ value, seal: undefined })))

        const verdict = verify(littered)

        expect(verdict).toMatchObject({ kind: 'broken', foreign: all.length, records: stream.length })
        expect(verdict.problems.at(-1)).toMatchObject({ at: littered.length - 1 })
        expect(verify(littered.slice(0, -1), { unsignedBefore: at + all.length }).kind).toBe('whole')
      }),
      { numRuns },
    )
  })

  it('cannot send in a record of long ago once more', () => {
    fc.assert(
      fc.property(withPlace, ({ stream, at, to }) => {
        fc.pre(at <= to)
        const copied = stream.toSpliced(to + 1, 0, stream[at]!)

        expect(verify(copied).kind).toBe(isPossible(copied) ? 'whole' : 'broken')
        const isLast = stream
          .slice(at + 1, to + 1)
          .every((each) => recordOf(each).writer !== recordOf(stream[at]!).writer)
        expect(isPossible(copied)).toBe(isLast)
      }),
      { numRuns },
    )
  })
})

describe('who may also delete the stream and write it anew, and has no key,', () => {
  it('cannot change a record, however well it is hashed, nor give it the seal of another', () => {
    fc.assert(
      fc.property(withPlace, fc.string(), ({ stream, at, to }, by) => {
        const { hash: _, ...fields } = { ...recordOf(stream[at]!), by: `${by}!` }
        const value = { ...fields, hash: hashRecord(fields) }

        for (const { seal } of [stream[at]!, stream[to]!, { seal: undefined }])
          expect(verify(stream.with(at, { value, seal }))).toMatchObject({ kind: 'broken', unsigned: 1 })
      }),
      { numRuns },
    )
  })

  it('cannot chain the whole of it anew', () => {
    fc.assert(
      fc.property(history, ({ order, stream }) => {
        const anew = writeHistory(order).map(({ value }) => ({ value, seal: undefined }))

        expect(verify(anew)).toMatchObject({ kind: 'broken', signed: 0, problemCount: stream.length })
        expect(verify(anew, { isKeyed: false }).kind).toBe('whole')
      }),
      { numRuns },
    )
  })

  it('cannot remove or move records, but for the last ones that nobody has written after', () => {
    fc.assert(
      fc.property(withPlace, ({ stream, at, to }) => {
        const moved = stream.toSpliced(at, 1).toSpliced(to, 0, stream[at]!)
        for (const changed of [stream.toSpliced(at, 1), moved])
          expect(verify(changed).kind).toBe(isPossible(changed) ? 'whole' : 'broken')
      }),
      { numRuns },
    )
  })

  it('cannot remove even those unnoticed if the newest was kept, nor the first ones by cutting', () => {
    fc.assert(
      fc.property(withPlace, ({ stream, at }) => {
        const newest = { hash: recordOf(stream.at(-1)!).hash, offset: stream.length - 1 }

        expect(verify(stream, { kept: [newest] }).kind).toBe('whole')
        expect(verify(stream.slice(0, at), { kept: [newest] }).kind).toBe('broken')
        expect(verify(stream.slice(0, at), { kept: [{ hash: newest.hash }] }).kind).toBe('broken')
      }),
      { numRuns },
    )
  })
})

it('who has the key can write what a server could: that is what the key is for', () => {
  const stream = writeHistory([0, 1, 0])
  const end = { writer: 'invented', number: 0, hash: noRecord }
  const forged = sealed(keyed('k'), chainRecord(entry, { end, seen: undefined, at: 'now' }))

  expect(verify([...stream, forged])).toMatchObject({ kind: 'whole', signed: 4, writers: 3 })
})
