import { expect, test } from 'vitest'
import { encodeTable } from '../wire/encode-table.ts'
import { toFieldTable } from '../wire/plain-fields.ts'
import { isHop } from './is-hop.ts'

const rejected = { queue: 'orders', reason: 'rejected', exchange: 'events', key: 'order.placed' }
const waited = { queue: 'orders.wait', reason: 'expired', exchange: 'retries', key: '30s' }
const encode = (headers: Record<string, number>) => encodeTable(toFieldTable(headers))

test.each([
  ['a rejection tells where a message was published', rejected, {}, false],
  ['so does one of a message that was tried before', rejected, { 'x-retry-count': 2 }, false],
  ['and a time that ran out where nobody counts', waited, {}, false],
  ['a wait for another attempt does not', waited, { 'warren-attempts': 1 }, true],
  ['nor a deferral', waited, { 'warren-attempts': 0 }, true],
  ['in any of the layouts', waited, { 'x-retry-count': 1 }, true],
  ['nor does a message that was put into its queue', { ...rejected, exchange: '', key: 'orders' }, {}, true],
])('%s', (_, death, headers, expected) => {
  expect(isHop(death, encode(headers))).toBe(expected)
})
