import { describe, expect, it } from 'vitest'
import { goldenLines } from '../../../../../test/support/golden-lines.ts'
import { compileTopology } from '../compile-topology.ts'
import type { TopologyDeclaration } from '../declaration.ts'

const declaration: TopologyDeclaration = {
  exchanges: { 'orders.events': { type: 'topic' } },
  queues: {
    'billing.orders': {
      bind: [{ exchange: 'orders.events', key: 'order.*' }],
      retry: { delays: ['5s', '30m'], maxAttempts: 6 },
    },
  },
}
const lines = (brokerVersion: string) => goldenLines(compileTopology(declaration, { brokerVersion }))

const home =
  'x-dead-letter-exchange="" x-dead-letter-routing-key="billing.orders" x-dead-letter-strategy="at-least-once"'
const everywhere = [
  'bind billing.orders.dlq -> billing.orders.dlq key=',
  'bind orders.events -> billing.orders key=order.*',
  'exchange billing.orders.dlq fanout',
  'exchange orders.events topic',
  'queue billing.orders quorum x-dead-letter-exchange="billing.orders.dlq" x-dead-letter-strategy="at-least-once" x-delivery-limit=20 x-overflow="reject-publish"',
]
const tiers = [
  `queue billing.orders.retry.30m quorum ${home} x-message-ttl=1800000 x-overflow="reject-publish"`,
  `queue billing.orders.retry.5s quorum ${home} x-message-ttl=5000 x-overflow="reject-publish"`,
]

describe('layout warren', () => {
  it.each([
    ['3.10', 'queue billing.orders.dlq quorum'],
    ['4.0', 'queue billing.orders.dlq quorum x-delivery-limit=-1'],
    ['4.3', 'queue billing.orders.dlq quorum x-delivery-limit=-1'],
  ])(
    'on %s is a work queue that ends in the DLQ, a wait queue per delay, and a DLQ without a limit',
    (version, dlq) => {
      expect(lines(version)).toEqual([...everywhere, dlq, ...tiers])
    },
  )

  it('states its flow: publish to the tier through the default exchange, count in a header of its own', () => {
    const [flow] = compileTopology(declaration, { brokerVersion: '4.3' }).flows

    expect(flow).toMatchObject({
      name: 'billing.orders',
      retry: {
        kind: 'publish',
        scheduleMs: [5_000, 1_800_000],
        tiers: [
          { delayMs: 5_000, exchange: '', key: 'billing.orders.retry.5s', queue: 'billing.orders.retry.5s' },
          {
            delayMs: 1_800_000,
            exchange: '',
            key: 'billing.orders.retry.30m',
            queue: 'billing.orders.retry.30m',
          },
        ],
      },
      park: { kind: 'publish', exchange: 'billing.orders.dlq' },
      attempts: { kind: 'header', header: 'warren-attempts' },
      maxAttempts: 6,
      redrive: {
        origin: { exchange: '', key: 'billing.orders' },
        exchange: 'orders.events',
      },
    })
  })

  it('delays that repeat share one wait queue and keep their place in the schedule', () => {
    const queues = { q: { retry: { delays: ['1m', '5s', '1m'] } } }
    const [flow] = compileTopology({ queues }, { brokerVersion: '4.3' }).flows

    expect(flow?.waitQueues).toEqual(['q.retry.5s', 'q.retry.1m'])
    expect(flow?.retry).toMatchObject({ scheduleMs: [60_000, 5_000, 60_000] })
    expect(flow?.maxAttempts).toBe(4)
  })

  it('a classic work queue gets classic wait queues and a classic DLQ, never a mix', () => {
    const { queues } = compileTopology({ queues: { q: { type: 'classic' } } }, { brokerVersion: '4.3' })

    expect(new Set(queues.map(({ type }) => type))).toEqual(new Set(['classic']))
    expect(queues.flatMap(({ arguments: args }) => Object.keys(args))).not.toContain('x-delivery-limit')
  })
})
