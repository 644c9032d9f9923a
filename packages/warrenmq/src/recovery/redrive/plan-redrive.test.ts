import { describe, expect, test } from 'vitest'
import { compileTopology } from '../../topology/compile-topology.ts'
import { encodeTable } from '../../wire/encode-table.ts'
import { type PlainTable, toFieldTable } from '../../wire/plain-fields.ts'
import { type Destination, planRedrive } from './plan-redrive.ts'

const { flows } = compileTopology(
  { queues: { orders: { retry: { delays: ['5s'] } } } },
  { brokerVersion: '4.3' },
)
const routes = {
  Scan: { exchange: 'tasks', key: 'scan' },
  Order: { exchange: 'events', key: 'order.placed' },
}
const death = (queue: string, reason: string) => ({
  queue,
  reason,
  count: 1,
  exchange: 'events',
  'routing-keys': ['order.placed'],
})

function plan(to: Destination, headers: PlainTable) {
  const encoded = encodeTable(toFieldTable(headers))
  return planRedrive({ headers: encoded, to, deadLetterQueue: 'orders.dlq', flows })
}

describe('where a dead letter goes', () => {
  const publish = (exchange: string, key: string) =>
    expect.objectContaining({ kind: 'publish', exchange, key })
  test.each<[string, Destination, PlainTable, unknown]>([
    ['written origin', { kind: 'origin' }, { 'x-original-queue': 'orders' }, publish('', 'orders')],
    [
      'first death before what anybody can write',
      { kind: 'origin' },
      { 'x-original-queue': 'other', 'x-first-death-queue': 'orders' },
      publish('', 'orders'),
    ],
    ['first death', { kind: 'origin' }, { 'x-first-death-queue': 'orders' }, publish('', 'orders')],
    [
      'a wait queue is no origin',
      { kind: 'origin' },
      { 'x-death': [death('orders.retry.5s', 'expired'), death('orders', 'rejected')] },
      publish('', 'orders'),
    ],
    ['retry', { kind: 'retry' }, { 'x-original-queue': 'orders' }, publish('', 'orders.retry.5s')],
    [
      'written address',
      { kind: 'exchange' },
      { 'x-original-exchange': 'e', 'x-original-routing-key': 'k' },
      publish('e', 'k'),
    ],
    [
      'address of the first death',
      { kind: 'exchange' },
      { 'x-death': [death('orders', 'rejected')] },
      publish('events', 'order.placed'),
    ],
    ['a named queue', { kind: 'queue', queue: 'spare' }, {}, publish('', 'spare')],
    ['type', { kind: 'type', routes: { routes } }, { MessageType: 'Scan' }, publish('tasks', 'scan')],
    [
      'another type header',
      { kind: 'type', routes: { header: 'kind', routes } },
      { kind: 'Scan' },
      publish('tasks', 'scan'),
    ],
    [
      'type before the key of its first death',
      { kind: 'type', routes: { routes } },
      { MessageType: 'Scan', 'x-death': [death('orders', 'rejected')] },
      publish('tasks', 'scan'),
    ],
    [
      'the key of its first death where it has no type',
      { kind: 'type', routes: { routes } },
      { 'x-death': [death('orders', 'rejected')] },
      publish('events', 'order.placed'),
    ],
  ])('%s', (_name, to, headers, expected) => {
    expect(plan(to, headers)).toEqual(expected)
  })
})

describe('a dead letter that says nothing of its origin', () => {
  const types = { routes }
  const withTypes = (to: Destination, headers: PlainTable) =>
    planRedrive({
      headers: encodeTable(toFieldTable(headers)),
      to,
      types,
      deadLetterQueue: 'orders.dlq',
      flows,
    })

  test.each<Destination>([{ kind: 'origin' }, { kind: 'exchange' }])(
    'goes by its type, to the $kind',
    (to) => {
      expect(withTypes(to, { MessageType: 'Scan' })).toEqual({
        kind: 'publish',
        exchange: 'tasks',
        key: 'scan',
        why: 'its type, MessageType Scan',
      })
    },
  )

  test('stays where its type is unknown, too', () => {
    const unknown = withTypes({ kind: 'origin' }, { MessageType: 'Other' })

    expect(unknown).toEqual({ kind: 'keep', reason: 'origin-unknown' })
  })

  test('goes by what it says before its type is asked', () => {
    const headers = { MessageType: 'Scan', 'x-first-death-queue': 'orders' }

    const step = withTypes({ kind: 'origin' }, headers)

    expect(step).toMatchObject({ exchange: '', key: 'orders', why: 'x-first-death-queue' })
  })
})

describe('a dead letter whose headers name a queue that it cannot have failed in', () => {
  const question = (to: Destination, headers: PlainTable) => ({
    headers: encodeTable(toFieldTable(headers)),
    to,
    deadLetterQueue: 'orders.dlq',
    flows,
    isForeign: (queue: string) => queue !== 'orders',
  })

  test.each<[Destination, PlainTable]>([
    [{ kind: 'origin' }, { 'x-original-queue': 'payments.out' }],
    [{ kind: 'origin' }, { 'x-first-death-queue': 'payments.out' }],
    [{ kind: 'origin' }, { 'x-death': [death('payments.out', 'rejected')] }],
    [{ kind: 'retry' }, { 'x-original-queue': 'payments.out' }],
  ])('stays: to the $kind', (to, headers) => {
    expect(planRedrive(question(to, headers))).toEqual({ kind: 'keep', reason: 'origin-foreign' })
  })

  test('goes where somebody names, and by what it says where that can be', () => {
    const named = { kind: 'queue', queue: 'payments.out' } as const

    expect(planRedrive(question(named, { 'x-original-queue': 'payments.out' }))).toMatchObject({
      key: 'payments.out',
    })
    expect(planRedrive(question({ kind: 'origin' }, { 'x-original-queue': 'orders' }))).toMatchObject({
      key: 'orders',
    })
  })
})

describe('why a dead letter stays', () => {
  test.each<[string, Destination, PlainTable]>([
    ['origin-unknown', { kind: 'origin' }, {}],
    ['origin-unknown', { kind: 'origin' }, { 'x-original-queue': 'orders.dlq' }],
    ['origin-unknown', { kind: 'exchange' }, { 'x-original-exchange': 'e' }],
    ['no-wait-queue', { kind: 'retry' }, { 'x-original-queue': 'undeclared' }],
    ['type-unknown', { kind: 'type', routes: { routes } }, { MessageType: 'Other' }],
    ['type-unknown', { kind: 'type', routes: { routes } }, { MessageType: 'toString' }],
    [
      'type-unknown', // its key has a route, but it says itself what it is
      { kind: 'type', routes: { routes } },
      { MessageType: 'Other', 'x-death': [death('orders', 'rejected')] },
    ],
    ['type-unknown', { kind: 'type', routes: { routes } }, {}],
  ])('%s', (reason, to, headers) => {
    expect(plan(to, headers)).toEqual({ kind: 'keep', reason })
  })
})
