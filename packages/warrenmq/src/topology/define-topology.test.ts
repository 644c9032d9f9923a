import { describe, expect, expectTypeOf, it } from 'vitest'
import { TopologyError } from '../errors.ts'
import { defineTopology, type Topology } from './define-topology.ts'

const declaration = {
  exchanges: { 'orders.events': { type: 'topic' } },
  queues: {
    'billing.orders': {
      bind: [{ exchange: 'orders.events', key: 'order.*' }],
      retry: { delays: ['5s', '30s', '5m', '30m'], maxAttempts: 6 },
    },
    'stock.orders': {},
  },
} as const

describe('defineTopology', () => {
  it('gives the declaration back', () => {
    expect(defineTopology(declaration)).toEqual(declaration)
  })

  it('keeps the names of the queues in its type', () => {
    const topology = defineTopology({ queues: { 'billing.orders': {}, 'stock.orders': {} } })
    const consume = <Name extends string>(_topology: Topology<Name>, queue: NoInfer<Name>) => queue

    expectTypeOf(topology).toEqualTypeOf<Topology<'billing.orders' | 'stock.orders'>>()
    expect(consume(topology, 'billing.orders')).toBe('billing.orders')
    // @ts-expect-error an undeclared queue is a mistake that the compiler finds
    consume(topology, 'billing.oders')
  })

  it('a setting that does not exist is a mistake that the compiler finds', () => {
    // @ts-expect-error retri is no setting
    expect(() => defineTopology({ queues: { q: { retri: {} } } })).toThrow(TopologyError)
  })

  it('throws all mistakes at once, each with its path', () => {
    const define = () => defineTopology({ queues: { q: { bind: [{ exchange: 'ghost' }] } } })

    expect(define).toThrow(
      'The topology has one mistake:\n  queues.q.bind[0].exchange: exchange "ghost" is not declared; add it under "exchanges"',
    )
  })
})
