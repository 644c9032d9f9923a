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

test.each([
  [
    queue('brief', { 'x-message-ttl': 60_000 }),
    '"brief" has no dead-letter exchange and deletes what nobody takes within 60000 ms (x-message-ttl)',
  ],
  [
    { ...queue('brief'), effectivePolicy: { 'message-ttl': 5_000 } },
    '"brief" has no dead-letter exchange and deletes what nobody takes within 5000 ms (x-message-ttl)',
  ],
  [
    queue('brief', { 'x-message-ttl': 1, 'x-dead-letter-exchange': 'gone' }),
    '"brief" dead-letters to nowhere and deletes what nobody takes within 1 ms (x-message-ttl)',
  ],
  [queue('brief', { ...toDlq, 'x-message-ttl': 60_000 }), '"brief" to "dlq"'],
  [queue('brief'), '"brief" has no dead-letter exchange'],
])('a target that deletes what expires is proved with a warning: %j', (target, secondFailure) => {
  const expiring = openRouteBook({ ...live, queues: [target, queue('dlq')] }, 'dlq')

  expect(expiring.prove({ exchange: '', key: 'brief' })).toEqual({
    isSafe: true,
    queues: ['brief'],
    secondFailure,
  })
})
