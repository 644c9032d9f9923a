import { expect, test } from 'vitest'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import type { LiveQueue, LiveTopology } from '../../topology/live-topology.ts'
import { openRouteBook } from './route-book.ts'

const queue = (name: string, args: LiveQueue['arguments'] = {}): LiveQueue => ({
  name,
  type: 'quorum',
  durable: true,
  autoDelete: false,
  arguments: args,
})
const classic = (name: string, args: LiveQueue['arguments']): LiveQueue => ({
  ...queue(name, args),
  type: 'classic',
})
const toDlq = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'dlq' }
const own = [queue('warren.audit'), queue('warren.tasks')]
const live: LiveTopology = {
  brokerVersion: parseBrokerVersion('4.3'),
  exchanges: [
    { name: 'events', type: 'topic', durable: true, autoDelete: false, internal: false, arguments: {} },
  ],
  queues: [queue('work', toDlq), queue('dlq'), queue('bounded', { 'x-max-length': 5 }), ...own],
  bindings: [
    { source: 'events', destination: 'work', destinationType: 'queue', key: 'order.*', arguments: {} },
    { source: 'events', destination: 'dlq', destinationType: 'queue', key: 'back', arguments: {} },
    { source: 'events', destination: 'warren.tasks', destinationType: 'queue', key: 'told', arguments: {} },
  ],
  policies: [],
}
const book = openRouteBook(live, 'dlq')

test('a bound target is proved, with where a second failure lands', () => {
  expect(book.prove({ exchange: 'events', key: 'order.placed' })).toEqual({
    isSafe: true,
    queues: ['work'],
    refusesWhenFull: false,
    secondFailure: '"work" to "dlq"',
    unseen: [],
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
  [
    '',
    'warren.audit',
    'The queue "warren.audit" leads to "warren.audit", where Warren keeps its own records.',
  ],
  [
    'events',
    'told',
    'The exchange "events" with the key "told" leads to "warren.tasks", where Warren keeps its own records.',
  ],
  ['', 'bounded', 'The queue "bounded" drops its oldest message when it is full (overflow drop-head).'],
])('%j with the key %j is refused', (exchange, key, problem) => {
  expect(book.prove({ exchange, key })).toEqual({ isSafe: false, problem })
})

const bounded = { 'x-max-length': 5 }
const refusing = { ...bounded, 'x-overflow': 'reject-publish-dlx' }

test.each<[string, LiveQueue, string]>([
  [
    'a quorum queue takes for drop-head what only a classic one knows',
    queue('full', { ...refusing, ...toDlq }),
    'The queue "full" drops its oldest message when it is full: a quorum queue treats overflow reject-publish-dlx as drop-head.',
  ],
  [
    'and where a policy says so',
    {
      ...queue('full', { ...bounded, 'x-overflow': 'reject-publish' }),
      effectivePolicy: { overflow: 'reject-publish-dlx' },
    },
    'The queue "full" drops its oldest message when it is full: a quorum queue treats overflow reject-publish-dlx as drop-head.',
  ],
  [
    'a classic one would leave a copy at every try',
    classic('full', { ...refusing, ...toDlq }),
    'The queue "full" refuses a message when it is full, and dead-letters it anyway (overflow reject-publish-dlx): every attempt would put a copy into "dlq".',
  ],
])('a target that may be full is refused: %s', (_title, full, problem) => {
  const guarded = openRouteBook({ ...live, queues: [full, queue('dlq')] }, 'dlq')

  expect(guarded.prove({ exchange: '', key: 'full' })).toEqual({ isSafe: false, problem })
})

test.each<[string, LiveQueue]>([
  ['it only refuses', classic('full', { ...bounded, 'x-overflow': 'reject-publish', ...toDlq })],
  ['a quorum queue only refuses', queue('full', { ...bounded, 'x-overflow': 'reject-publish' })],
  ['nothing can be dead-lettered', classic('full', refusing)],
  ['what is dead-lettered goes nowhere', classic('full', { ...refusing, 'x-dead-letter-exchange': 'gone' })],
  ['it has no bound', classic('full', { 'x-overflow': 'reject-publish-dlx', ...toDlq })],
])('a target that may be full is proved where %s', (_title, full) => {
  const guarded = openRouteBook({ ...live, queues: [full, queue('dlq')] }, 'dlq')

  expect(guarded.prove({ exchange: '', key: 'full' })).toMatchObject({ isSafe: true, queues: ['full'] })
})

const deadLetterTo = (exchange: string, key?: string): LiveQueue['arguments'] => ({
  'x-dead-letter-exchange': exchange,
  ...(key !== undefined && { 'x-dead-letter-routing-key': key }),
})
const fanout = {
  name: 'all',
  type: 'fanout',
  durable: true,
  autoDelete: false,
  internal: false,
  arguments: {},
}

test.each<[string, readonly LiveQueue[], string, readonly string[]]>([
  [
    'at once',
    [queue('start', deadLetterTo('', 'other')), queue('other')],
    '"start" to "other", where this re-drive does not look',
    ['other'],
  ],
  [
    'after more hops',
    [queue('start', deadLetterTo('', 'work')), queue('work', deadLetterTo('', 'other')), queue('other')],
    '"start" to "work", in the end to "other", where this re-drive does not look',
    ['other'],
  ],
  [
    'nowhere else, after more hops',
    [queue('start', deadLetterTo('', 'work')), queue('work', toDlq)],
    '"start" to "work"',
    [],
  ],
  [
    'round and round',
    [queue('start', deadLetterTo('', 'wait')), queue('wait', deadLetterTo('', 'start'))],
    '"start" to "wait"',
    [],
  ],
  [
    'with a copy elsewhere',
    [queue('start', deadLetterTo('all')), queue('other')],
    '"start" to "other", "dlq"',
    [],
  ],
])('a proof says where a second failure lands: %s', (_title, queues, secondFailure, unseen) => {
  const bindings = ['other', 'dlq'].map((destination) => ({
    source: 'all',
    destination,
    destinationType: 'queue' as const,
    key: '',
    arguments: {},
  }))
  const topology = { ...live, exchanges: [fanout], bindings, queues: [...queues, queue('dlq')] }

  expect(openRouteBook(topology, 'dlq').prove({ exchange: '', key: 'start' })).toMatchObject({
    secondFailure,
    unseen,
  })
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
    refusesWhenFull: false,
    secondFailure,
    unseen: [],
  })
})
