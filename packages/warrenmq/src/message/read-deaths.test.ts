import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyFieldTable } from '../../../../test/support/arbitrary/fields.ts'
import { encodeTable } from '../wire/encode-table.ts'
import type { FieldValue } from '../wire/field-value.ts'
import { type PlainTable, toFieldTable, typed } from '../wire/plain-fields.ts'
import { noDeaths, originalAddress, readDeaths, readLastDeath } from './read-deaths.ts'

const encode = (headers: PlainTable) => encodeTable(toFieldTable(headers))
const at = (seconds: number) => typed({ type: 'T', value: BigInt(seconds) })

const expiredInWait = {
  count: typed({ type: 'l', value: 3n }),
  reason: 'expired',
  queue: 'billing.wait',
  time: at(1_700_000_010),
  exchange: 'billing.retry',
  'routing-keys': ['retry'],
}
const rejectedByWork = {
  count: typed({ type: 'l', value: 3n }),
  reason: 'rejected',
  queue: 'billing',
  time: at(1_700_000_000),
  exchange: 'orders',
  'routing-keys': ['order.placed', 'copy.to.audit'],
  'original-expiration': '60000',
}

describe('readDeaths', () => {
  it('reads each entry with its count, time, address and expiration', () => {
    const headers = encode({ 'x-death': [expiredInWait, rejectedByWork] })

    const { deaths } = readDeaths(headers)

    expect(deaths).toEqual([
      {
        queue: 'billing.wait',
        reason: 'expired',
        count: 3,
        timeMs: 1_700_000_010_000,
        exchange: 'billing.retry',
        routingKeys: ['retry'],
        originalExpiration: undefined,
      },
      {
        queue: 'billing',
        reason: 'rejected',
        count: 3,
        timeMs: 1_700_000_000_000,
        exchange: 'orders',
        routingKeys: ['order.placed', 'copy.to.audit'],
        originalExpiration: '60000',
      },
    ])
  })

  it('takes first and last death from their headers, as 3.13 and later write them', () => {
    const headers = encode({
      'x-death': [expiredInWait, rejectedByWork],
      'x-first-death-queue': 'billing',
      'x-first-death-reason': 'rejected',
      'x-first-death-exchange': 'orders',
      'x-last-death-queue': 'billing.wait',
      'x-last-death-reason': 'expired',
      'x-last-death-exchange': 'billing.retry',
    })

    const history = readDeaths(headers)

    expect(history.first).toEqual({ queue: 'billing', reason: 'rejected', exchange: 'orders' })
    expect(history.last).toEqual({ queue: 'billing.wait', reason: 'expired', exchange: 'billing.retry' })
    expect(history.isCoherent).toBe(true)
  })

  it('takes the head for the last death where there is no header for it, as on 3.10', () => {
    const headers = encode({
      'x-death': [expiredInWait, rejectedByWork],
      'x-first-death-queue': 'billing',
      'x-first-death-reason': 'rejected',
    })

    const history = readDeaths(headers)

    expect(history.last).toMatchObject({ queue: 'billing.wait', reason: 'expired' })
    expect(history.isCoherent).toBe(false)
  })

  it('takes the earliest entry for the first death where there is no header for it', () => {
    const headers = encode({ 'x-death': [rejectedByWork, expiredInWait] })

    expect(readDeaths(headers).first).toMatchObject({ queue: 'billing', reason: 'rejected' })
  })

  it('counts an entry without a count as one death', () => {
    const headers = encode({
      'x-death': [
        { queue: 'q', reason: 'rejected' },
        { queue: 'q', reason: 'rejected' },
      ],
    })

    expect(readDeaths(headers).deaths.map(({ count }) => count)).toEqual([1, 1])
  })

  it.each<[string, PlainTable]>([
    ['text', { 'x-death': 'never' }],
    ['a number', { 'x-death': 5 }],
    ['a table', { 'x-death': { queue: 'q', reason: 'rejected' } }],
    ['a list of text', { 'x-death': ['q', 'rejected'] }],
    ['entries without a queue', { 'x-death': [{ reason: 'rejected', count: 4 }] }],
    ['entries without a reason', { 'x-death': [{ queue: 'q', count: 4 }] }],
    ['an empty list', { 'x-death': [] }],
  ])('finds no deaths in %s', (_, headers) => {
    expect(readDeaths(encode(headers))).toEqual(noDeaths)
  })

  it('finds no deaths in a message without headers', () => {
    expect(readDeaths(undefined)).toEqual(noDeaths)
  })

  it('never throws, whatever a client sends as its death history', () => {
    const garbage = fc.oneof(
      anyFieldTable.map((table): FieldValue => ({ type: 'F', value: table })),
      fc.array(anyFieldTable).map(
        (tables): FieldValue => ({
          type: 'A',
          value: tables.map((value) => ({ type: 'F', value })),
        }),
      ),
    )

    fc.assert(
      fc.property(garbage, garbage, (deaths, queue) => {
        const headers = encodeTable([
          { name: 'x-death', value: deaths },
          { name: 'x-first-death-queue', value: queue },
        ])
        expect(readDeaths(headers).deaths.every(({ count }) => Number.isSafeInteger(count))).toBe(true)
        expect(readLastDeath(headers)).toEqual(readDeaths(headers).last)
      }),
    )
  })
})

describe('readLastDeath', () => {
  it.each<[string, PlainTable]>([
    ['the newest entry', { 'x-death': [expiredInWait, rejectedByWork] }],
    ['the first entry that is one', { 'x-death': ['nonsense', { queue: 5 }, rejectedByWork] }],
    [
      'what the broker wrote along',
      {
        'x-death': [expiredInWait],
        'x-last-death-queue': 'billing',
        'x-last-death-reason': 'rejected',
      },
    ],
    ['nothing', { tenant: 'blue', 'x-death': 'no list' }],
  ])('is %s, as in the whole history', (_, headers) => {
    expect(readLastDeath(encode(headers))).toEqual(readDeaths(encode(headers)).last)
  })
})

describe('originalAddress', () => {
  it('is the address of the first death, without the copies', () => {
    const history = readDeaths(
      encode({
        'x-death': [expiredInWait, rejectedByWork],
        'x-first-death-queue': 'billing',
        'x-first-death-reason': 'rejected',
        'x-first-death-exchange': 'orders',
      }),
    )

    expect(originalAddress(history)).toEqual({ exchange: 'orders', routingKey: 'order.placed' })
  })

  it('is the default exchange where the message was published to it', () => {
    const history = readDeaths(
      encode({ 'x-death': [{ ...rejectedByWork, exchange: '', 'routing-keys': ['billing'] }] }),
    )

    expect(originalAddress(history)).toEqual({ exchange: '', routingKey: 'billing' })
  })

  it('is unknown without a routing key', () => {
    const history = readDeaths(
      encode({ 'x-first-death-queue': 'billing', 'x-first-death-exchange': 'orders' }),
    )

    expect(originalAddress(history)).toBeUndefined()
  })
})
