import { describe, expect, it } from 'vitest'
import {
  compileTopology,
  type LiveQueue,
  type LiveTopology,
  parseBrokerVersion,
  planTopology,
} from 'warrenmq/operations'
import { describePlan } from './describe-plan.ts'

const version = parseBrokerVersion('4.0.5')
const wanted = compileTopology(
  {
    exchanges: { events: { type: 'topic' } },
    queues: { orders: { bind: [{ exchange: 'events', key: '#' }] } },
  },
  { brokerVersion: version },
)
const empty: LiveTopology = {
  brokerVersion: version,
  exchanges: [],
  queues: [],
  bindings: [],
  policies: [],
}

/** A queue of the topology that stands there with other arguments, and holds so many messages. */
function withOther(messages: number): LiveTopology {
  const queue: LiveQueue = {
    name: 'orders',
    type: 'classic',
    durable: true,
    autoDelete: false,
    arguments: {},
    messages,
    consumers: messages,
  }
  return { ...empty, queues: [queue] }
}

describe('the digest of a plan', () => {
  const digestOf = (live: LiveTopology): string =>
    describePlan(planTopology({ wanted, live }), '4.0.5').digest

  it('is the same while the plan is the same', () => {
    expect(digestOf(empty)).toBe(digestOf({ ...empty }))
    expect(digestOf(empty)).toMatch(/^[0-9a-f]{64}$/)
  })

  it('is another when there is something else to do', () => {
    expect(digestOf({ ...empty, exchanges: wanted.exchanges })).not.toBe(digestOf(empty))
  })

  it('does not change with depths, which change all the time', () => {
    expect(digestOf(withOther(1))).toBe(digestOf(withOther(2)))
    expect(digestOf(withOther(1))).not.toBe(digestOf(empty))
  })
})

it('a plan names what it would make, bindings last', () => {
  const { safe, text, isEmpty } = describePlan(planTopology({ wanted, live: empty }), '4.0.5')

  expect(isEmpty).toBe(false)
  expect(safe).toContainEqual({ kind: 'create-queue', target: 'orders' })
  expect(safe).toContainEqual({ kind: 'add-binding', target: 'events -> orders, key #' })
  expect(safe.at(-1)?.kind).toBe('add-binding')
  expect(text).toContain('+ queue orders')
})
