import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyBytes } from '../../../../../test/support/arbitrary/bytes.ts'
import { anyProperties } from '../../../../../test/support/arbitrary/properties.ts'
import { readHeader } from '../../../../../test/support/read-header.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import { editProperties, encodeProperties, readProperty } from '../../wire/properties.ts'
import { identifyMessage, restorableProperties } from './identify-message.ts'

const body = Buffer.from('body')
const plain = { messageId: 'm', headers: toFieldTable({ tenant: 'acme' }) }
const idOf = (input: Parameters<typeof encodeProperties>[0]) =>
  identifyMessage({ properties: encodeProperties(input), body })
const withHeaders = (more: Parameters<typeof toFieldTable>[0]) => ({
  ...plain,
  headers: toFieldTable({ tenant: 'acme', ...more }),
})

describe('who a message is', () => {
  test.each([
    ['what the broker counted', withHeaders({ 'x-delivery-count': 3, 'x-acquired-count': 4 })],
    ['its extra routes', withHeaders({ CC: ['elsewhere'] })],
    ['what was taken off', withHeaders({ 'warren-stripped': { expiration: '5' } })],
    ['its expiry and its user', { ...plain, expiration: '5000', userId: 'ada' }],
    ['being persistent', { ...plain, deliveryMode: 2 }],
  ])('does not depend on %s', (_name, input) => {
    expect(idOf(input)).toBe(idOf(plain))
  })

  test.each([
    ['its id', { ...plain, messageId: 'n' }],
    ['a header', withHeaders({ other: 1 })],
    ['the type of a property', { ...plain, type: 'order' }],
  ])('depends on %s', (_name, input) => {
    expect(idOf(input)).not.toBe(idOf(plain))
  })

  test('does not depend on the order of its headers, which a broker sorts when it counts', () => {
    const first = withHeaders({ region: 'north', nested: { z: 1, a: 2 } })
    const sorted = { nested: { z: 1, a: 2 }, region: 'north', tenant: 'acme', 'x-delivery-count': 1 }

    expect(idOf({ ...plain, headers: toFieldTable(sorted) })).toBe(idOf(first))
  })

  test('depends on which header has which value', () => {
    const swapped = { tenant: 'north', region: 'acme' }
    expect(idOf({ ...plain, headers: toFieldTable(swapped) })).not.toBe(
      idOf(withHeaders({ region: 'north' })),
    )
  })

  test('a table that the broker made for its counter does not change it', () => {
    expect(idOf({ messageId: 'm', headers: toFieldTable({ 'x-delivery-count': 1 }) })).toBe(
      idOf({ messageId: 'm' }),
    )
  })

  test('a message and its restored copy have the same', () => {
    fc.assert(
      fc.property(anyProperties, anyBytes(50), (input, bytes) => {
        const properties = encodeProperties(input)
        const restored = restorableProperties(properties, 'me')

        expect(identifyMessage({ properties: restored, body: bytes })).toBe(
          identifyMessage({ properties, body: bytes }),
        )
      }),
    )
  })
})

describe('what goes back', () => {
  test('is byte for byte what was there, unless a broker would count, obey or refuse it', () => {
    fc.assert(
      fc.property(anyProperties, (input) => {
        const { expiration: _expiration, userId: _userId, ...rest } = input
        const properties = encodeProperties(rest)
        fc.pre(
          !['CC', 'BCC', 'x-delivery-count', 'x-acquired-count'].some((name) => readHeader(properties, name)),
        )

        expect(restorableProperties(properties, 'me')).toEqual(properties)
      }),
    )
  })

  test('has no counter of the broker any more', () => {
    const counted = encodeProperties(withHeaders({ 'x-delivery-count': 3 }))
    expect(restorableProperties(counted, 'me')).toEqual(encodeProperties(plain))
  })

  test('keeps its death history, and in one header what a broker would obey', () => {
    const properties = encodeProperties({
      ...withHeaders({ CC: ['elsewhere'], 'x-death': [{ queue: 'q', reason: 'rejected', count: 1 }] }),
      expiration: '5000',
      userId: 'ada',
    })

    const restored = restorableProperties(properties, 'me')

    expect(readHeader(restored, 'CC')).toBeUndefined()
    expect(readHeader(restored, 'x-death')).toEqual(readHeader(properties, 'x-death'))
    expect(readProperty(restored, 'expiration')).toBeUndefined()
    expect(readProperty(restored, 'userId')).toBeUndefined()
    const archived = readHeader(restored, 'warren-stripped')
    expect(archived?.type === 'F' && archived.value.map(({ name }) => name)).toEqual([
      'CC',
      'expiration',
      'user-id',
    ])
    expect(readProperty(editProperties(restored, {}), 'messageId')).toBe('m')
  })

  test('keeps the user who is also the one that publishes', () => {
    const properties = encodeProperties({ ...plain, userId: 'me' })
    expect(restorableProperties(properties, 'me')).toEqual(properties)
  })
})
