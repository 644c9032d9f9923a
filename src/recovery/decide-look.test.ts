import { describe, expect, test } from 'vitest'
import { parseBrokerVersion } from '../message/broker-version.ts'
import { toFieldTable } from '../wire/plain-fields.ts'
import { encodeTable } from '../wire/write-field.ts'
import { decideLook, mayReturn, type QueueFacts } from './decide-look.ts'

const quorum: QueueFacts = {
  type: 'quorum',
  reportedLimit: undefined,
  argumentLimit: undefined,
  policyLimit: undefined,
}
const free = { kind: 'free' }
const counted = (limit: number) => ({ kind: 'counted', limit })

describe('what a look costs', () => {
  test.each<[string, Partial<QueueFacts>, string, unknown]>([
    ['a classic queue', { type: 'classic' }, '4.3', free],
    ['a quorum queue without a limit before 4.0', {}, '3.10', free],
    ['a quorum queue without a limit since 4.0', {}, '4.0', counted(20)],
    ['an unlimited one', { reportedLimit: 'unlimited' }, '4.3', free],
    ['a reported limit', { reportedLimit: 3, argumentLimit: -1 }, '4.3', counted(3)],
    ['-1 since 4.0', { argumentLimit: -1 }, '4.0', free],
    ['-1 before 4.0 drops at the first return', { argumentLimit: -1 }, '3.10', counted(0)],
    ['the lower of argument and policy', { argumentLimit: 9, policyLimit: 5 }, '3.10', counted(5)],
    ['a positive policy defeats -1', { argumentLimit: -1, policyLimit: 5 }, '4.0', counted(5)],
    ['an unknown queue on 4.x', { type: undefined }, '4.0', counted(20)],
  ])('%s', (_name, facts, version, expected) => {
    expect(decideLook({ facts: { ...quorum, ...facts }, version: parseBrokerVersion(version) })).toEqual(
      expected,
    )
  })

  test('a stream is refused', () => {
    const version = parseBrokerVersion('4.3')
    expect(decideLook({ facts: { ...quorum, type: 'stream' }, version }).kind).toBe('refused')
  })
})

describe('whether a message may be given back', () => {
  test.each([
    [undefined, '4.0', true],
    [17, '4.0', true],
    [18, '4.0', false],
    [20, '4.0', false],
    [21, '4.3', false],
  ])('a count of %s on %s with a limit of 20: %s', (count, text, expected) => {
    const headers = count === undefined ? undefined : encodeTable(toFieldTable({ 'x-delivery-count': count }))
    const version = parseBrokerVersion(text)
    expect(mayReturn({ headers, cost: { kind: 'counted', limit: 20 }, version })).toBe(expected)
  })

  test('where nothing counts it always may', () => {
    const headers = encodeTable(toFieldTable({ 'x-delivery-count': 99 }))
    expect(mayReturn({ headers, cost: { kind: 'free' }, version: parseBrokerVersion('4.3') })).toBe(true)
  })
})
