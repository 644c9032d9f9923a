import { describe, expect, test } from 'vitest'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import { compileTopology } from '../../topology/compile-topology.ts'
import type { LiveQueue, LiveTopology } from '../../topology/live-topology.ts'
import { decideDeadLetterQueues } from './decide-dead-letter-queues.ts'

const queue = (
  name: string,
  args: LiveQueue['arguments'] = {},
  more: Partial<LiveQueue> = {},
): LiveQueue => ({
  name,
  type: 'quorum',
  durable: true,
  autoDelete: false,
  arguments: args,
  ...more,
})
const exchange = (name: string, type: string) => ({
  name,
  type,
  durable: true,
  autoDelete: false,
  internal: false,
  arguments: {},
})
const binding = (source: string, destination: string, key = '') => ({
  source,
  destination,
  destinationType: 'queue' as const,
  key,
  arguments: {},
})
const live = (parts: Partial<LiveTopology>): LiveTopology => ({
  brokerVersion: parseBrokerVersion('4.0'),
  exchanges: [],
  queues: [],
  bindings: [],
  policies: [],
  ...parts,
})
const deadLetterTo = (name: string) => ({
  'x-dead-letter-exchange': '',
  'x-dead-letter-routing-key': name,
})
const found = (topology: LiveTopology) =>
  decideDeadLetterQueues(topology).map(({ queue: name, knownBy, sources }) => [name, knownBy, sources])

describe('a dead-letter queue is found', () => {
  test('by a queue that dead-letters to it, through an exchange, and keeps its source', () => {
    const topology = live({
      exchanges: [exchange('dead', 'fanout')],
      queues: [queue('work', { 'x-dead-letter-exchange': 'dead' }), queue('end')],
      bindings: [binding('dead', 'end')],
    })
    expect(found(topology)).toEqual([['end', 'dead-lettering', ['work']]])
  })

  test('by a dead-letter exchange that a policy sets', () => {
    const policy = { 'dead-letter-exchange': '', 'dead-letter-routing-key': 'end' }
    expect(found(live({ queues: [queue('work', {}, { effectivePolicy: policy }), queue('end')] }))).toEqual([
      ['end', 'dead-lettering', ['work']],
    ])
  })

  test('but not among the queues in which Warren keeps its own records', () => {
    const own = ['warren.audit', 'warren.tasks', 'warren.notices', 'warren.lock.orders.dlq']
    const sly = own.map((name) => queue(`to ${name}`, deadLetterTo(name)))

    expect(found(live({ queues: [...sly, ...own.map((name) => queue(name))] }))).toEqual([])
  })

  test('by its name, or by the name of the exchange that messages are parked through', () => {
    const topology = live({
      exchanges: [exchange('shop.parking', 'direct')],
      queues: [queue('orders.dlq'), queue('held'), queue('dlq-reports')],
      bindings: [binding('shop.parking', 'held', 'orders')],
    })
    expect(found(topology)).toEqual([
      ['orders.dlq', 'name', []],
      ['held', 'name', []],
    ])
  })

  test('by its name beside the queue that it belongs to, whatever the word for it is', () => {
    const named = ['orders', 'orders.dead', 'orders_error', 'failed:orders', 'error', 'mail.failed']
    expect(found(live({ queues: named.map((name) => queue(name)) }))).toEqual([
      ['orders.dead', 'name', []],
      ['orders_error', 'name', []],
      ['failed:orders', 'name', []],
    ])
  })

  test('by its name, where messages are put that their dead-letter queue would delete', () => {
    const topology = live({ queues: [queue('orders.dlq'), queue('orders.dlq.over-limit')] })
    expect(found(topology)).toEqual([
      ['orders.dlq', 'name', []],
      ['orders.dlq.over-limit', 'name', []],
    ])
  })

  test('by the topology that declares it', () => {
    const compiled = compileTopology(
      { queues: { orders: { retry: { delays: ['5s'] } } } },
      { brokerVersion: '4.0' },
    )
    const names = compiled.flows.flatMap(({ deadLetterQueue }) => deadLetterQueue ?? [])
    const topology = live({ queues: names.map((name) => queue(name)) })
    expect(decideDeadLetterQueues(topology, compiled).map((each) => [each.queue, each.knownBy])).toEqual(
      names.map((name) => [name, 'topology']),
    )
    expect(names).toHaveLength(1)
  })
})

test('a wait queue, and the queue that it returns to, is none', () => {
  const topology = live({
    queues: [
      queue('work', { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'wait' }),
      queue('wait', { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'work' }),
    ],
  })
  expect(found(topology)).toEqual([])
})

/** What `decideLook` advises for a queue whose limit is an argument. */
const net = (name: string) => ({
  effectivePolicy: { 'dead-letter-exchange': '', 'dead-letter-routing-key': `${name}.over-limit` },
})

describe('a queue with a net for what is over its delivery limit', () => {
  test('is still a dead-letter queue when others dead-letter to it, and its net is one too', () => {
    const topology = live({
      queues: [
        queue('work', { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'end' }),
        queue('end', { 'x-delivery-limit': 3 }, net('end')),
        queue('end.over-limit'),
      ],
    })
    expect(found(topology)).toEqual([
      ['end', 'dead-lettering', ['work']],
      ['end.over-limit', 'dead-lettering', ['end']],
    ])
  })

  test('is still a dead-letter queue by its name', () => {
    const topology = live({
      queues: [queue('orders.dlq', {}, net('orders.dlq')), queue('orders.dlq.over-limit')],
    })
    expect(found(topology)).toEqual([
      ['orders.dlq', 'name', []],
      ['orders.dlq.over-limit', 'dead-lettering', ['orders.dlq']],
    ])
  })

  test('is none when it is a work queue', () => {
    const topology = live({ queues: [queue('work', {}, net('work')), queue('work.over-limit')] })
    expect(found(topology)).toEqual([['work.over-limit', 'dead-lettering', ['work']]])
  })
})

test('a queue named for dead letters that sends them on to another queue is a station', () => {
  const topology = live({
    queues: [
      queue('orders.dlq', { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'orders' }),
      queue('orders', { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'orders.dlq' }),
    ],
  })
  expect(found(topology)).toEqual([])
})
