import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeTable } from '../wire/encode-table.ts'
import type { FieldTable } from '../wire/field-value.ts'
import { type PlainTable, toFieldTable, typed } from '../wire/plain-fields.ts'
import { parseBrokerVersion } from './broker-version.ts'
import { type AttemptsRule, countAttempts, deathsSeen } from './count-attempts.ts'
import { readDeaths } from './read-deaths.ts'

const versions = ['3.10.8', '3.13.1', '3.13.7', '4.0.5', '4.3.6'] as const
type Version = (typeof versions)[number]

const byRejections: AttemptsRule = { kind: 'rejections', queue: 'work', baseHeader: 'x-retry-count' }
const byHeader: AttemptsRule = { kind: 'header', header: 'x-retry-count' }

const firstRun = 1_700_000_000
const secondRun = 1_700_009_999

const deaths = (count: number, firstAt: number = firstRun): PlainTable => ({
  'x-death': [
    { queue: 'wait', reason: 'expired', count: BigInt(count), time: seconds(firstAt + 1) },
    { queue: 'work', reason: 'rejected', count: BigInt(count), time: seconds(firstAt) },
  ],
})
const companions = {
  'x-first-death-queue': 'work',
  'x-first-death-reason': 'rejected',
  'x-first-death-exchange': 'orders',
  'x-last-death-queue': 'wait',
  'x-last-death-reason': 'expired',
  'x-last-death-exchange': '',
}
function seconds(value: number) {
  return typed({ type: 'T', value: BigInt(value) })
}

function count(version: Version, rule: AttemptsRule, headers: PlainTable, more: FieldTable = []): number {
  const encoded = encodeTable([...toFieldTable(headers), ...more])
  return countAttempts({ headers: encoded, rule, version: parseBrokerVersion(version) })
}

function seenIn(headers: PlainTable): FieldTable {
  const history = readDeaths(encodeTable(toFieldTable(headers)))
  return [deathsSeen({ history, queue: 'work' })]
}

describe.each(versions)('attempts on %s', (version) => {
  it('of a first delivery are none', () => {
    expect(count(version, byRejections, {})).toBe(0)
    expect(count(version, byHeader, {})).toBe(0)
    expect(countAttempts({ headers: undefined, rule: byHeader, version: parseBrokerVersion(version) })).toBe(
      0,
    )
  })

  it('of a reject loop are the rejections of its own queue', () => {
    expect(count(version, byRejections, { ...deaths(3), ...companions })).toBe(3)
  })

  it('of a reject loop leave out expiries and the rejections of other queues', () => {
    const elsewhere = {
      'x-death': [
        { queue: 'work', reason: 'expired', count: 5n, time: seconds(firstRun) },
        { queue: 'other', reason: 'rejected', count: 7n, time: seconds(firstRun) },
      ],
      ...companions,
    }

    expect(count(version, byRejections, elsewhere)).toBe(0)
  })

  it('of a publish loop are the number in its header, whatever the deaths say', () => {
    expect(count(version, byHeader, { 'x-retry-count': 2, ...deaths(9), ...companions })).toBe(2)
    expect(count(version, byHeader, deaths(9))).toBe(0)
  })

  it.each([
    ['negative', -1],
    ['text', 'many'],
    ['a fraction', 0.5],
    ['a list', [1]],
    ['nothing', null],
  ])('of a header that is %s are none', (_, value) => {
    expect(count(version, byHeader, { 'x-retry-count': value })).toBe(0)
  })

  it('go on after a re-drive that continues: the base and the new rejections', () => {
    expect(count(version, byRejections, { 'x-retry-count': 10 })).toBe(10)
    expect(
      count(version, byRejections, { 'x-retry-count': 10, ...deaths(1, secondRun), ...companions }),
    ).toBe(11)
  })

  it('go on from the retries that a message comes with, unless the attempts say more', () => {
    const rule = { ...byRejections, baseHeader: 'warren-attempts', retriesHeader: 'x-retry-count' } as const
    expect(count(version, rule, { 'x-retry-count': 2 })).toBe(2)
    expect(count(version, rule, { 'x-retry-count': 2, ...deaths(1), ...companions })).toBe(3)
    expect(count(version, rule, { 'x-retry-count': 3, 'warren-attempts': 4 })).toBe(4)
  })

  it('start again after a re-drive that resets: only the new rejections', () => {
    expect(count(version, byRejections, { ...deaths(1, secondRun), ...companions })).toBe(1)
  })

  it('do not count old rejections again when the message comes back with its death history', () => {
    const parked = { ...deaths(10), ...companions, 'x-retry-count': 10 }

    expect(count(version, byRejections, parked, seenIn(parked))).toBe(10)
  })
})

describe('a client that sends x-death back', () => {
  it.each<[Version, number]>([
    ['3.10.8', 10],
    ['3.13.1', 0],
    ['3.13.7', 10],
    ['4.0.5', 0],
    ['4.3.6', 0],
  ])('is believed on %s as far as that broker believes it: %i', (version, expected) => {
    expect(count(version, byRejections, deaths(10))).toBe(expected)
  })

  it('has its next rejection counted once where the broker counts on', () => {
    const parked = { ...deaths(10), ...companions, 'x-retry-count': 10 }
    const rejectedOnceMore = { ...deaths(11), ...companions, 'x-retry-count': 10 }

    expect(count('3.10.8', byRejections, rejectedOnceMore, seenIn(parked))).toBe(11)
  })

  it('has its next rejection counted once where the broker starts afresh', () => {
    const parked = { ...deaths(10), ...companions, 'x-retry-count': 10 }
    const rejectedOnceMore = { ...deaths(1, secondRun), ...companions, 'x-retry-count': 10 }

    expect(count('4.3.6', byRejections, rejectedOnceMore, seenIn(parked))).toBe(11)
  })
})

describe('a rejection within the second of the first one', () => {
  it('is counted where the broker starts afresh', () => {
    const parked = { ...deaths(10), ...companions, 'x-retry-count': 10 }
    const rejectedOnceMore = { ...deaths(1), ...companions, 'x-retry-count': 10 }

    expect(count('4.3.6', byRejections, rejectedOnceMore, seenIn(parked))).toBe(11)
  })
})

describe('a reject loop, simulated', () => {
  it('counts every failure once through any number of re-drives, on brokers that count on and that start afresh', () => {
    const runs = fc.array(fc.nat(6), { minLength: 1, maxLength: 5 })

    fc.assert(
      fc.property(runs, fc.constantFrom<Version>('3.10.8', '4.0.5', '4.3.6'), (failuresPerRun, version) => {
        const countsOn = version === '3.10.8'
        let base = 0
        let shown = { count: 0, firstAt: 0 }
        let seen: FieldTable = []
        failuresPerRun.forEach((failures, run) => {
          const runStart = firstRun + run * 1000
          for (let failure = 0; failure < failures; failure++) {
            const isFresh = shown.count === 0 || (!countsOn && failure === 0)
            shown = isFresh ? { count: 1, firstAt: runStart } : { ...shown, count: shown.count + 1 }
          }
          const headers = {
            'x-retry-count': base,
            ...(shown.count > 0 ? { ...deaths(shown.count, shown.firstAt), ...companions } : {}),
          }
          expect(count(version, byRejections, headers, seen)).toBe(base + failures)
          base += failures
          seen = seenIn(headers)
        })
      }),
    )
  })
})
