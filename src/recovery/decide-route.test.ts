import { expect, test } from 'vitest'
import { parseBrokerVersion } from '../message/broker-version.ts'
import type { LiveQueue, LiveTopology } from '../topology/live-topology.ts'
import { openRouteBook } from './decide-route.ts'

const queue = (name: string, args: LiveQueue['arguments'] = {}): LiveQueue => ({
  ...{ name, type: 'quorum', durable: true, autoDelete: false, arguments: args },
})
const toDlq = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'dlq' }
const live: LiveTopology = {
  brokerVersion: parseBrokerVersion('4.3'),
  exchanges: [
    { name: 'events', type: 'topic', durable: true, autoDelete: false, internal: false, arguments: {} },
  ],
  queues: [queue('work', toDlq), queue('dlq'), queue('bounded', { 'x-max-length': 5 })],
  bindings: [
    { source: 'events', destination: 'work', destinationType: 'queue', key: 'order.*', arguments: {} },
    { source: 'events', destination: 'dlq', destinationType: 'queue', key: 'back', arguments: {} },
  ],
  policies: [],
}
const book = openRouteBook(live, 'dlq')

test('a bound target is proved, with where a second failure lands', () => {
  expect(book.prove({ exchange: 'events', key: 'order.placed' })).toEqual({
    isSafe: true,
    queues: ['work'],
    secondFailure: '"work" to "dlq"',
  })
})

test.each([
  ['', 'nowhere', 'There is no queue "nowhere".'],
  ['missing', 'k', 'There is no exchange "missing".'],
  ['events', 'stock.low', 'No queue is bound to the exchange "events" for the key "stock.low".'],
  ['', 'dlq', 'The queue "dlq" leads back into the dead-letter queue "dlq".'],
  [
    'events',
    'back',
    'The exchange "events" with the key "back" leads back into the dead-letter queue "dlq".',
  ],
  ['', 'bounded', 'The queue "bounded" drops its oldest message when it is full (overflow drop-head).'],
])('%j with the key %j is refused', (exchange, key, problem) => {
  expect(book.prove({ exchange, key })).toEqual({ isSafe: false, problem })
})
