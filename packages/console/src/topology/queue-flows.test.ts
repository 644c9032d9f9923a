import { expect, it } from 'vitest'
import type { Schemas } from '../api/api.ts'
import { queueFlows } from './queue-flows.ts'

const liveQueue = (name: string, messages: number) =>
  ({ name, messages, consumers: 1 }) as Schemas['LiveQueue']
const declaredQueue = (name: string, role: 'work' | 'wait' | 'dead-letter') =>
  ({ name, role, owner: 'orders' }) as Schemas['CompiledQueue']

it('queues stand with the one they were made for, in the way of a message, and a missing queue is named', () => {
  const live = {
    queues: [
      liveQueue('other', 1),
      liveQueue('orders.dlq', 3),
      liveQueue('orders', 2),
      liveQueue('warren.audit', 9),
    ],
    bindings: [
      { source: 'shop', destination: 'orders', destinationType: 'queue', key: 'order.*', arguments: {} },
    ],
  } as unknown as Schemas['LiveTopology']
  const declared = {
    queues: [
      declaredQueue('orders.dlq', 'dead-letter'),
      declaredQueue('orders.wait', 'wait'),
      declaredQueue('orders', 'work'),
    ],
  } as Schemas['CompiledTopology']

  expect(queueFlows({ live, declared, lossy: ['orders.wait'] })).toEqual([
    {
      owner: 'orders',
      sources: ['shop order.*'],
      queues: [
        { name: 'orders', role: 'work', messages: 2, consumers: 1, isMissing: false, isLossy: false },
        {
          name: 'orders.wait',
          role: 'wait',
          messages: null,
          consumers: null,
          isMissing: true,
          isLossy: true,
        },
        {
          name: 'orders.dlq',
          role: 'dead-letter',
          messages: 3,
          consumers: 1,
          isMissing: false,
          isLossy: false,
        },
      ],
    },
    {
      owner: 'other',
      sources: [],
      queues: [{ name: 'other', role: 'queue', messages: 1, consumers: 1, isMissing: false, isLossy: false }],
    },
  ])
})

it('a dead-letter queue that no config declares stands with the queue that it gets its messages from', () => {
  const live = {
    queues: [liveQueue('old.dead', 4), liveQueue('old', 1), liveQueue('lone.dlq', 0)],
    bindings: [],
  }
  const dlqs = [
    { queue: 'old.dead', sources: ['gone', 'old'] },
    { queue: 'lone.dlq', sources: [] },
  ]

  const flows = queueFlows({ live, dlqs })

  expect(
    flows.map(({ owner, queues }) => [owner, ...queues.map(({ name, role }) => `${name}: ${role}`)]),
  ).toEqual([
    ['old', 'old: queue', 'old.dead: dead-letter'],
    ['lone.dlq', 'lone.dlq: dead-letter'],
  ])
})

it('ten thousand queues are sorted out in one pass', () => {
  const live = {
    queues: Array.from({ length: 10_000 }, (_, index) => liveQueue(`queue.${index}`, index)),
    bindings: Array.from({ length: 10_000 }, (_, index) => ({
      source: 'shop',
      destination: `queue.${index}`,
      destinationType: 'queue' as const,
      key: `key.${index}`,
      arguments: {},
    })),
  }

  const flows = queueFlows({ live })

  expect(flows).toHaveLength(10_000)
  expect(flows.at(-1)).toMatchObject({ owner: 'queue.9999', sources: ['shop key.9999'] })
})
