import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyFieldTable } from '../../../../../test/support/arbitrary/fields.ts'
import { originalAddress, readDeaths } from '../../message/read-deaths.ts'
import { decodeTable } from '../../wire/decode-table.ts'
import { encodeTable } from '../../wire/encode-table.ts'
import { type PlainTable, toFieldTable, toPlainTable } from '../../wire/plain-fields.ts'
import { keepAddress, readFirstAddress } from './keep-address.ts'

const death = (fields: PlainTable) => ({ reason: 'rejected', queue: 'orders', count: 1, ...fields })
const first = { 'x-first-death-queue': 'orders', 'x-first-death-reason': 'rejected' }
const placed = death({ exchange: 'events', 'routing-keys': ['order.placed', 'copy'] })
const kept = { 'x-original-exchange': 'events', 'x-original-routing-key': 'order.placed' }
const entries = (headers: PlainTable) =>
  toPlainTable(decodeTable(keepAddress(encodeTable(toFieldTable(headers))).entries))

test.each<[string, PlainTable, PlainTable]>([
  ['of its first death', { ...first, 'x-death': [placed] }, kept],
  [
    'of its first death among others',
    {
      'x-death': [
        death({ queue: 'orders.wait', reason: 'expired', exchange: '', 'routing-keys': ['orders.wait'] }),
        placed,
      ],
      ...first,
    },
    kept,
  ],
  [
    'also of the default exchange',
    { ...first, 'x-death': [death({ exchange: '', 'routing-keys': ['orders'] })] },
    { 'x-original-exchange': '', 'x-original-routing-key': 'orders' },
  ],
  [
    'whatever a publisher wrote',
    { 'x-original-exchange': 'mine', 'x-original-routing-key': 'mine', ...first, 'x-death': [placed] },
    kept,
  ],
  [
    'not where an earlier re-drive kept it',
    { ...kept, ...first, 'x-death': [death({ exchange: '', 'routing-keys': ['orders'] })] },
    {},
  ],
  ['not without a death', {}, {}],
  ['not where the first death is not told', { 'x-death': [placed] }, {}],
  ['not without a key', { ...first, 'x-death': [death({ exchange: 'events', 'routing-keys': [] })] }, {}],
  [
    'not a key that is none',
    { ...first, 'x-death': [death({ exchange: 'events', 'routing-keys': ['k'.repeat(256)] })] },
    {},
  ],
  ['not of a history that is none', { ...first, 'x-death': 'text' }, {}],
])('the address of a message is kept %s', (_, headers, expected) => {
  expect(entries(headers)).toEqual(expected)
})

test('it is the address that the decoded history tells', () => {
  const text = fc.string({ unit: 'binary', maxLength: 20 })
  const anyDeath = fc.record({
    queue: fc.constantFrom('orders', 'wait'),
    reason: fc.constantFrom('rejected', 'expired'),
    exchange: text,
    'routing-keys': fc.array(text, { maxLength: 3 }),
    count: fc.nat(),
  })
  fc.assert(
    fc.property(fc.array(anyDeath, { maxLength: 4 }), anyFieldTable, (deaths, own) => {
      const headers = encodeTable([...own, ...toFieldTable({ ...first, 'x-death': deaths })])
      const address = originalAddress(readDeaths(headers))
      const written = toPlainTable(decodeTable(keepAddress(headers).entries))
      expect(written['x-original-routing-key']).toEqual(address?.routingKey)
      expect(written['x-original-exchange']).toEqual(address?.exchange)
      const read = readFirstAddress(headers)
      expect([read?.exchange, read?.key]).toEqual([address?.exchange, address?.routingKey])
    }),
  )
})

test('headers that break the rules of AMQP keep nothing', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => void keepAddress(Buffer.from(bytes))))
})
