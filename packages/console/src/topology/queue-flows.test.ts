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

  expect(queueFlows(live, declared, ['orders.wait'])).toEqual([
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
