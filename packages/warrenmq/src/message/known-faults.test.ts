import { describe, expect, it } from 'vitest'
import { parseBrokerVersion } from './broker-version.ts'
import { knownFaults } from './known-faults.ts'

const idsOf = (version: string) => knownFaults(parseBrokerVersion(version)).map(({ id }) => id)

describe('knownFaults', () => {
  it.each([
    [
      '3.10.8',
      [
        'negative-delivery-limit-drops',
        'classic-store-loses-few',
        'scrambled-nack-multiple',
        'quorum-reconsume-exception',
      ],
    ],
    [
      '3.13.2',
      [
        'unordered-deaths',
        'negative-delivery-limit-drops',
        'classic-store-loses-few',
        'scrambled-nack-multiple',
      ],
    ],
    ['4.0.5', ['classic-store-loses-few']],
    ['4.1.5', []],
    ['4.2.6', ['at-least-once-wrong-member']],
    ['4.3.6', ['carried-delivery-count']],
  ])('of %s', (version, ids) => {
    expect(idsOf(version)).toEqual(ids)
  })

  it('puts what should be avoided first', () => {
    const severities = knownFaults(parseBrokerVersion('4.3.0')).map(({ severity }) => severity)

    expect(severities).toEqual(severities.toSorted())
    expect(severities[0]).toBe('avoid')
  })
})
