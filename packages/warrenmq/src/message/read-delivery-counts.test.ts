import { describe, expect, it } from 'vitest'
import { encodeTable } from '../wire/encode-table.ts'
import { type PlainTable, toFieldTable } from '../wire/plain-fields.ts'
import { parseBrokerVersion } from './broker-version.ts'
import { readDeliveryCounts } from './read-delivery-counts.ts'

describe('readDeliveryCounts', () => {
  it.each<[string, PlainTable, { returns: number; towardsLimit: number }]>([
    ['3.10.8', {}, { returns: 0, towardsLimit: 0 }],
    ['3.10.8', { 'x-delivery-count': 0 }, { returns: 0, towardsLimit: 0 }],
    ['3.10.8', { 'x-delivery-count': 4 }, { returns: 4, towardsLimit: 4 }],
    ['4.0.5', { 'x-delivery-count': 4n }, { returns: 4, towardsLimit: 4 }],
    ['4.3.6', { 'x-delivery-count': 1n, 'x-acquired-count': 4n }, { returns: 4, towardsLimit: 1 }],
    ['4.3.6', { 'x-acquired-count': 4n }, { returns: 4, towardsLimit: 0 }],
    ['4.3.6', { 'x-delivery-count': 21n }, { returns: 0, towardsLimit: 21 }],
  ])('on %s, %o', (version, headers, expected) => {
    const encoded = encodeTable(toFieldTable(headers))

    expect(readDeliveryCounts(encoded, parseBrokerVersion(version))).toEqual(expected)
  })
})
