import { describe, expect, it } from 'vitest'
import { compileTopology } from '../compile-topology.ts'
import type { TopologyDeclaration } from '../declaration.ts'
import { proveTopology } from './prove-topology.ts'

const findingsOf = (declaration: TopologyDeclaration) =>
  proveTopology(compileTopology(declaration, { brokerVersion: '4.3' })).findings.map(
    ({ property, code, queue, path }) => `${property}/${code} ${queue ?? '-'}: ${path.join(' → ')}`,
  )
const OrderPlaced = { exchange: 'orders', key: 'order.placed' }
const orders = { type: 'topic' } as const

describe('the proof of messages', () => {
  it('holds where each message has a queue and each handler its message', () => {
    expect(
      findingsOf({
        exchanges: { orders },
        queues: { billing: { bind: [{ exchange: 'orders', key: 'order.*' }], handles: ['OrderPlaced'] } },
        messages: { OrderPlaced },
      }),
    ).toEqual([])
  })

  it('finds a message that reaches no queue, once, and no second time for its handlers', () => {
    expect(
      findingsOf({
        exchanges: { orders },
        queues: { billing: { bind: [{ exchange: 'orders', key: 'payment.*' }], handles: ['OrderPlaced'] } },
        messages: { OrderPlaced },
      }),
    ).toEqual([
      'no-black-hole/message-unrouted -: publish OrderPlaced → exchange orders, key order.placed → no queue',
    ])
  })

  it('finds handlers without their message, and messages without a handler', () => {
    expect(
      findingsOf({
        exchanges: { orders },
        queues: {
          billing: { bind: [{ exchange: 'orders', key: 'order.#' }], handles: [] },
          stock: { bind: [{ exchange: 'orders', key: 'stock.#' }], handles: ['OrderPlaced'] },
          anything: { bind: [{ exchange: 'orders', key: '#' }] },
        },
        messages: { OrderPlaced },
      }),
    ).toEqual([
      'no-black-hole/message-unhandled billing: publish OrderPlaced → billing → no handler → parked',
      'no-black-hole/handler-unreached stock: publish OrderPlaced → other queues',
    ])
  })

  it('follows bindings between exchanges and alternates, and takes headers for what may match', () => {
    expect(
      findingsOf({
        exchanges: {
          orders: { type: 'topic', alternateExchange: 'rest' },
          inner: { type: 'headers', bind: [{ exchange: 'orders', key: 'order.*' }] },
          rest: { type: 'fanout' },
        },
        queues: {
          byHeaders: {
            bind: [{ exchange: 'inner', arguments: { tenant: 'a' } }],
            handles: ['OrderPlaced'],
          },
          rest: { bind: [{ exchange: 'rest' }], handles: ['Lost'] },
        },
        messages: { OrderPlaced, Lost: { exchange: 'orders', key: 'lost' } },
      }),
    ).toEqual([])
  })

  it('is accepted where the queues of a message are declared elsewhere', () => {
    const proof = proveTopology(
      compileTopology(
        {
          exchanges: { orders },
          queues: {},
          messages: { OrderPlaced },
          accept: [{ finding: 'no-black-hole/message-unrouted', reason: 'billing declares its queue' }],
        },
        { brokerVersion: '4.3' },
      ),
    )

    expect(proof.isProved).toBe(true)
  })
})
