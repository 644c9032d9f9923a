import { describe, expect, expectTypeOf, it } from 'vitest'
import { TopologyError } from '../errors.ts'
import type { TopologyDeclaration } from './declaration.ts'
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

describe('TypeScript finds a misspelt setting', () => {
  it('of the sections for a server and a recovery, however deep', () => {
    const config: TopologyDeclaration = {
      queues: {},
      server: {
        port: 8080,
        // @ts-expect-error it is called hideFrom
        payloads: { hideForm: ['viewer'] },
        // @ts-expect-error there is no such role
        anyQueue: ['superuser'],
      },
      recovery: {
        queues: ['orders.dlq'],
        types: { OrderPlaced: 'orders', OrderPaid: { exchange: 'events', key: 'order.paid' } },
        // @ts-expect-error it is called idle
        timeouts: { idel: '10s' },
      },
    }

    expect(config).toBeDefined()
  })

  it('of the type of an exchange, and takes the types of plugins', () => {
    const plugin = { exchanges: { delayed: { type: 'x-delayed-message' } }, queues: {} } as const
    // @ts-expect-error it is called topic
    const misspelt = () => defineTopology({ exchanges: { events: { type: 'topci' } }, queues: {} })

    expect(defineTopology(plugin)).toBe(plugin)
    expect(misspelt).toThrow(TopologyError)
  })
})
