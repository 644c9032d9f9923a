import { expect, test } from 'vitest'
import { type PlainTable, toFieldTable } from '../wire/plain-fields.ts'
import { encodeProperties, type RawProperties } from '../wire/properties.ts'
import { mayBeReturned } from './decide-leftover.ts'

const counts = (headers: PlainTable): RawProperties =>
  encodeProperties({ messageId: 'm', headers: toFieldTable({ tenant: 'blue', ...headers }) })

test.each([
  ['counted once', {}, { 'x-delivery-count': 1 }, true],
  ['counted once more', { 'x-delivery-count': 3 }, { 'x-delivery-count': 4 }, true],
  ['counted since 4.3', { 'x-delivery-count': 2 }, { 'x-delivery-count': 2, 'x-acquired-count': 1 }, true],
  ['not counted at all', {}, {}, true],
  ['counted as before', { 'x-delivery-count': 1 }, { 'x-delivery-count': 1 }, false],
  ['counted less', { 'x-acquired-count': 2 }, { 'x-acquired-count': 1 }, false],
] as const)('a message that is %s, in a queue that counts', (_, before, now, expected) => {
  expect(mayBeReturned({ before: counts(before), now: counts(now), isCounting: true })).toBe(expected)
})

test('a count says nothing of a queue that does not count: it came with the message', () => {
  const carried = counts({ 'x-delivery-count': 3 })

  expect(mayBeReturned({ before: carried, now: carried, isCounting: false })).toBe(true)
})
