import { describe, expect, test } from 'vitest'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import { compileTopology } from '../../topology/compile-topology.ts'
import type { LiveQueue, LiveTopology } from '../../topology/live-topology.ts'
import { openOriginBook } from './origin-book.ts'

const queue = (name: string, to?: string, effectivePolicy?: LiveQueue['effectivePolicy']): LiveQueue => ({
  name,
  type: 'quorum',
  durable: true,
  autoDelete: false,
  arguments: to === undefined ? {} : { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': to },
  ...(effectivePolicy && { effectivePolicy }),
})
const live = (queues: readonly LiveQueue[], more: Partial<LiveTopology> = {}): LiveTopology => ({
  brokerVersion: parseBrokerVersion('4.0'),
  exchanges: [],
  queues,
  bindings: [],
  policies: [],
  ...more,
})
const foreign = (topology: LiveTopology | undefined, names: readonly string[], trustHeaders = false) => {
  const book = openOriginBook(topology, { deadLetterQueue: 'orders.dlq', flows: [], trustHeaders })
  return names.filter((name) => book.isForeign(name))
}
const names = [
  'orders',
  'orders.wait',
  'payments.out',
  'warren.audit',
  'warren.tasks',
  'warren.lock.orders.dlq',
]
const ours = ['warren.audit', 'warren.tasks', 'warren.lock.orders.dlq']

describe('a queue that a dead letter says to have failed in is foreign', () => {
  test('unless its dead letters come here, over any number of stations', () => {
    const queues = [queue('orders', 'orders.dlq'), queue('orders.wait', 'orders'), queue('orders.dlq')]

    expect(foreign(live([...queues, queue('payments.out', 'payments.dlq')]), names)).toEqual([
      'payments.out',
      ...ours,
    ])
  })

  test('by its policy as by its arguments, and through exchanges', () => {
    const policy = { 'dead-letter-exchange': 'dead' }
    const exchanges = [
      { name: 'dead', type: 'fanout', durable: true, autoDelete: false, internal: false, arguments: {} },
    ]
    const bindings = [
      {
        source: 'dead',
        destination: 'orders.dlq',
        destinationType: 'queue' as const,
        key: '',
        arguments: {},
      },
    ]
    const topology = live([queue('orders', undefined, policy), queue('payments.out'), queue('orders.dlq')], {
      exchanges,
      bindings,
    })

    expect(foreign(topology, ['orders', 'payments.out'])).toEqual(['payments.out'])
  })

  test('unless the declared flow of that queue parks here', () => {
    const { flows } = compileTopology(
      { queues: { orders: { retry: { delays: ['1s'] } } } },
      { brokerVersion: parseBrokerVersion('4.0') },
    )
    const dlq = flows[0]!.deadLetterQueue!
    const topology = live([queue(dlq), queue('orders'), queue('payments.out')])
    const question = { deadLetterQueue: dlq, flows, trustHeaders: false }
    const books = [openOriginBook(topology, question), openOriginBook(undefined, question)]

    for (const { isForeign } of books)
      expect([isForeign('orders'), isForeign('payments.out'), isForeign('warren.audit')]).toEqual([
        ...[false, true, true],
      ])
  })

  test('in circles as well, and ends', () => {
    const queues = [queue('orders', 'orders.dlq'), queue('orders.dlq', 'orders')]

    expect(foreign(live(queues), ['orders', 'payments.out'])).toEqual(['payments.out'])
  })

  const unknown = live([queue('orders'), queue('orders.dlq')])

  test('always, where nothing is known to dead-letter here or nobody can be asked', () => {
    expect(foreign(unknown, names)).toEqual(names)
    expect(foreign(undefined, names)).toEqual(names)
  })

  test('only if it is one of ours there, for who trusts headers', () => {
    expect(foreign(unknown, names, true)).toEqual(ours)
    expect(foreign(undefined, names, true)).toEqual(ours)
  })

  test('where others are known to dead-letter here, also for who trusts headers', () => {
    const known = live([queue('orders', 'orders.dlq'), queue('orders.dlq')])

    expect(foreign(known, ['orders', 'payments.out'], true)).toEqual(['payments.out'])
  })
})
