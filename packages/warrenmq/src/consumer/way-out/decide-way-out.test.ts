import { describe, expect, it } from 'vitest'
import { compileTopology } from '../../topology/compile-topology.ts'
import type { LayoutChoice } from '../../topology/declaration.ts'
import { decideWayOut, type ManagedWay, type SeenQueue, type WaySeen } from './decide-way-out.ts'
import { planWayOut } from './plan-way-out.ts'

/** A queue in a layout, with everything in its place and seen by everybody. */
function setup(layout: LayoutChoice, exact = layout !== 'warren') {
  const topology = compileTopology(
    { layout, exact, queues: { 'a-b': { retry: { delays: ['5s'] } } } },
    { brokerVersion: '4.0.5' },
  )
  const flow = topology.flows[0]!
  const managed: ManagedWay = {
    ...topology,
    queues: topology.queues.map(({ name, arguments: args }) => ({
      name,
      arguments: args,
      effectivePolicy: {},
    })),
  }
  const there: SeenQueue = { presence: 'there', arguments: 'as-declared' }
  const seen: WaySeen = {
    queues: new Map(topology.queues.map(({ name }) => [name, there])),
    exchanges: new Map(topology.exchanges.map(({ name }) => [name, 'there'])),
    managed,
  }
  const decide = (change: Partial<WaySeen> = {}) =>
    decideWayOut({ queue: flow.queue, steps: planWayOut(flow), seen: { ...seen, ...change } })
  return { flow, seen, managed, decide }
}

const allLayouts = ['event-bus', 'isolated', 'freeflow', 'ratatoskr', 'warren'] as const

describe.each(allLayouts)('in the layout %s', (layout) => {
  it('everything in its place is a proof', () => {
    expect(setup(layout).decide()).toEqual({ kind: 'proved' })
  })

  it('the management API alone is a proof, where the account may ask nothing over AMQP', () => {
    const unknown: SeenQueue = { presence: 'unknown', arguments: 'unknown' }
    const { seen, decide } = setup(layout)
    const queues = new Map([...seen.queues.keys()].map((name) => [name, unknown]))
    const exchanges = new Map([...seen.exchanges.keys()].map((name) => [name, 'unknown' as const]))

    expect(decide({ queues, exchanges })).toEqual({ kind: 'proved' })
    expect(decide({ queues, exchanges, managed: undefined }).kind).toBe('unproved')
  })

  it('a queue that lacks its dead-letter exchange is a gap, by whichever way it was seen', () => {
    const { flow, seen, managed, decide } = setup(layout)
    for (const name of [flow.queue, flow.waitQueues[0]!]) {
      const clause = `the queue "${name}" has no x-dead-letter-exchange, so RabbitMQ deletes messages that should leave it`
      const bare = managed.queues.map((queue) => (queue.name === name ? { ...queue, arguments: {} } : queue))
      const lacks: SeenQueue = { presence: 'there', arguments: { lacks: 'x-dead-letter-exchange' } }
      const queues = new Map([...seen.queues, [name, lacks]])

      expect(decide({ managed: { ...managed, queues: bare } })).toEqual({ kind: 'broken', gaps: [clause] })
      expect(decide({ queues, managed: undefined })).toEqual({ kind: 'broken', gaps: [clause] })
    }
  })

  it('a queue that a message has to come to and that is not there is a gap', () => {
    const { flow, seen, managed, decide } = setup(layout)
    for (const name of [flow.waitQueues[0]!, flow.deadLetterQueue!]) {
      const queues = new Map([...seen.queues, [name, { presence: 'missing', arguments: 'unknown' } as const]])
      const without = { ...managed, queues: managed.queues.filter((queue) => queue.name !== name) }
      const broken = { kind: 'broken', gaps: [`the queue "${name}" is not there`] }

      expect(decide({ queues, managed: undefined })).toEqual(broken)
      expect(decide({ queues, managed: without })).toEqual(broken)
    }
  })
})

describe('a binding', () => {
  it.each([
    [
      'event-bus',
      'no binding leads from the exchange "a.retry-exchange.a-b" with the key "retry" to the queue "a.retry-queue.a-b"',
    ],
    [
      'isolated',
      'no binding leads from the exchange "retry.a-b" with the key "retry" to the queue "a-b.retry"',
    ],
    [
      'freeflow',
      'no binding leads from the exchange "freeflow.events.dlx" to the queue "freeflow.events.dlq"',
    ],
    ['ratatoskr', 'no binding leads from the exchange "a-b.dlq" to the queue "a-b.dlq"'],
    ['warren', 'no binding leads from the exchange "a-b.dlq" to the queue "a-b.dlq"'],
  ] as const)('that is gone in the layout %s is a gap', (layout, clause) => {
    const { managed, decide } = setup(layout)

    const verdict = decide({ managed: { ...managed, bindings: [] } })

    expect(verdict.kind === 'broken' && verdict.gaps).toContain(clause)
  })

  it.each(allLayouts)(
    'that nobody could see in the layout %s matters where a rejected message needs it',
    (layout) => {
      const needsOne = layout !== 'ratatoskr' && layout !== 'warren'

      expect(setup(layout).decide({ managed: undefined }).kind).toBe(needsOne ? 'unproved' : 'proved')
    },
  )
})

it('what a policy says counts where the queue says nothing', () => {
  const { flow, managed, decide } = setup('ratatoskr')
  const effectivePolicy = { 'dead-letter-exchange': '', 'dead-letter-routing-key': 'a-b.retry' }
  const queues = managed.queues.map((queue) =>
    queue.name === flow.queue ? { ...queue, arguments: {}, effectivePolicy } : queue,
  )

  expect(decide({ managed: { ...managed, queues } })).toEqual({ kind: 'proved' })
})

it('dead letters that go to another queue are a gap', () => {
  const { flow, managed, decide } = setup('ratatoskr')
  const elsewhere = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'audit' }
  const queues = managed.queues.map((queue) =>
    queue.name === flow.queue ? { ...queue, arguments: elsewhere } : queue,
  )

  expect(decide({ managed: { ...managed, queues } })).toEqual({
    kind: 'broken',
    gaps: ['the dead letters of the queue "a-b" go to "audit", and not to "a-b.retry"'],
  })
})

it('a wait queue without a time to live is a gap', () => {
  const { managed, decide } = setup('warren')
  const queues = managed.queues.map(({ arguments: { 'x-message-ttl': _, ...args }, ...queue }) => ({
    ...queue,
    arguments: args,
  }))

  expect(decide({ managed: { ...managed, queues } })).toEqual({
    kind: 'broken',
    gaps: ['the queue "a-b.retry.5s" has no x-message-ttl, so messages that wait there never come back'],
  })
})

it('whether the consumed queue itself is there is not for the proof to say', () => {
  const { flow, seen, decide } = setup('warren')
  const queues = new Map([
    ...seen.queues,
    [flow.queue, { presence: 'missing', arguments: 'unknown' } as const],
  ])

  expect(decide({ queues, managed: undefined })).toEqual({ kind: 'proved' })
})
