import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  connect,
  defineMessages,
  defineTopology,
  unchecked,
  type Warren,
  type WarrenOf,
} from '../../../packages/warrenmq/src/index.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/testing.ts'
import { eventually } from '../../support/eventually.ts'
import { collect } from '../consumer/consumer-rig.ts'

const messages = defineMessages({
  OrderPlaced: {
    exchange: 'orders',
    key: 'order.placed',
    schema: z.object({ id: z.number(), placedAt: z.iso.datetime().transform((text) => new Date(text)) }),
  },
  OrderPaid: {
    exchange: 'orders',
    key: 'order.paid',
    schema: v.object({ id: v.number(), cents: v.optional(v.number(), 0) }),
  },
  OrderShipped: { exchange: 'orders', key: 'order.shipped', schema: type({ id: 'number', 'to?': 'string' }) },
  OrderCancelled: { exchange: 'orders', key: 'order.cancelled', schema: unchecked<{ id: number }>() },
  StockCounted: { exchange: 'stock', key: 'counted' },
})
const retry = { delays: [10], maxAttempts: 2 } as const
const topology = defineTopology({
  exchanges: { orders: { type: 'topic' }, stock: { type: 'direct' } },
  queues: {
    billing: { bind: [{ exchange: 'orders', key: 'order.*' }], retry },
    warehouse: { bind: [{ exchange: 'stock', key: 'counted' }], handles: ['StockCounted'], retry },
  },
  messages,
})

async function setup() {
  const broker = await startEmbeddedBroker()
  const warren = await connect(broker.url, { topology, managementUrl: broker.managementUrl })
  onTestFinished(async () => {
    await warren.close()
    await broker.stop()
  })
  await warren.apply()
  return warren
}

describe('a message is published by its name', () => {
  it('with the type of its schema, whichever library made it, and handled with what the schema makes of it', async () => {
    const warren = await setup()
    const seen: unknown[] = []
    await warren.consume('billing', {
      OrderPlaced: ({ body }) => {
        expectTypeOf(body).toEqualTypeOf<{ id: number; placedAt: Date }>()
        seen.push(body)
      },
      OrderPaid: ({ body }) => {
        expectTypeOf(body).toEqualTypeOf<{ id: number; cents: number }>()
        seen.push(body)
      },
      OrderShipped: ({ body }) => {
        expectTypeOf(body).toEqualTypeOf<{ id: number; to?: string }>()
        seen.push(body)
      },
      OrderCancelled: ({ body, type: name }) => {
        expectTypeOf(body).toEqualTypeOf<{ id: number }>()
        seen.push([body, name])
      },
    })

    await warren.publish('OrderPlaced', { id: 1, placedAt: '2026-01-02T03:04:05Z' })
    await warren.publish('OrderPaid', { id: 2 })
    await warren.publish('OrderShipped', { id: 3, to: 'Oslo' })
    const result = await warren.publish(
      'OrderCancelled',
      { id: 4 },
      { messageId: 'm4', headers: { tenant: 'a' } },
    )

    expect(result).toMatchObject({ kind: 'confirmed', messageId: 'm4' })
    await eventually(() => expect(seen).toHaveLength(4))
    expect(seen).toEqual([
      { id: 1, placedAt: new Date('2026-01-02T03:04:05Z') },
      { id: 2, cents: 0 },
      { id: 3, to: 'Oslo' },
      [{ id: 4 }, 'OrderCancelled'],
    ])
  })

  it('and a body that its consumers would refuse is refused before it is sent, with the path', async () => {
    const warren = await setup()
    const wrong = { id: 'one', placedAt: new Date(0) } as never

    await expect(warren.publish('OrderPlaced', wrong)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(
        /^The body of OrderPlaced does not fit its schema: id: .+\. Nothing was sent\.$/,
      ),
    })
    await expect(
      warren.publisher().publishMany('OrderPaid', [{ id: 1 }, { id: null } as never, { id: 3 }]),
    ).rejects.toThrow(/^The body of OrderPaid, 2 of 3, does not fit its schema: id: /)
    expect(await warren.deadLetters('billing').peek()).toEqual([])
    expect(warren.health().pendingPublishes).toBe(0)
  })

  it('and a date that JSON makes text of is refused where the schema wants a date', async () => {
    const dates = defineTopology({
      queues: { dated: { retry: false } },
      messages: { Dated: { exchange: '', key: 'dated', schema: z.object({ at: z.date() }) } },
    })
    const broker = await startEmbeddedBroker()
    const warren = await connect(broker.url, { topology: dates, managementUrl: broker.managementUrl })
    onTestFinished(() => warren.close().then(() => broker.stop()))
    await warren.apply()

    await expect(warren.publish('Dated', { at: new Date() })).rejects.toThrow('at: ')
  })

  it('and a name that nobody declared is refused with the one that was meant', async () => {
    const warren = await setup()

    await expect(warren.publish('OrderPlacd' as never, {} as never)).rejects.toThrow(
      'The topology has no message "OrderPlacd"; did you mean "OrderPlaced"?',
    )
  })
})

describe('a message that has no handler', () => {
  it.each([
    { unknown: undefined, attempts: 1, reason: 'unknown-message' },
    { unknown: 'park', attempts: 1, reason: 'unknown-message' },
    { unknown: 'fail', attempts: 2, reason: 'attempts-exhausted' },
  ] as const)(
    'is a dead letter after $attempts attempt(s) with $unknown',
    async ({ unknown, attempts, reason }) => {
      const warren = await setup()
      const consumer = await warren.consume(
        'billing',
        { OrderPlaced: () => undefined, OrderPaid: () => undefined },
        unknown === undefined ? {} : { unknown },
      )
      const settled = collect(consumer, 'delivery.settled')

      await warren.publish('OrderCancelled', { id: 1 }, { messageId: 'm1' })

      await eventually(() => expect(settled).toHaveLength(attempts))
      const [letter] = await warren.deadLetters('billing').peek()
      expect(letter).toMatchObject({
        type: 'OrderCancelled',
        headers: {
          'warren-reason': reason,
          'x-final-error':
            'The message "m1" is of type "OrderCancelled"; the consumer of "billing" has handlers for OrderPlaced, OrderPaid.',
        },
      })
    },
  )

  it('is acknowledged with "ignore"', async () => {
    const warren = await setup()
    const consumer = await warren.consume('billing', { OrderPlaced: () => undefined }, { unknown: 'ignore' })
    const settled = collect(consumer, 'delivery.settled')

    await warren.publish('OrderCancelled', { id: 1 })

    await eventually(() => expect(settled).toMatchObject([{ outcome: { kind: 'acknowledge' } }]))
    expect(await warren.deadLetters('billing').peek()).toEqual([])
  })
})

describe('a message of another publisher', () => {
  it('without a type is known by its exchange and key, and its dead letter says its type', async () => {
    const warren = await setup()
    const seen: unknown[] = []
    const consumer = await warren.consume('billing', {
      OrderCancelled: ({ type: name, body }) => {
        seen.push([name, body])
        if (body.id === 2) throw Object.assign(new Error('never'), { isPermanent: true })
      },
    })
    const settled = collect(consumer, 'delivery.settled')

    for (const id of [1, 2])
      await warren.publisher().publish({ exchange: 'orders', key: 'order.cancelled', body: { id } })

    await eventually(() => expect(settled).toHaveLength(2))
    expect(seen).toEqual([
      ['OrderCancelled', { id: 1 }],
      ['OrderCancelled', { id: 2 }],
    ])
    const letters = warren.deadLetters('billing')
    expect(await letters.peek({ where: 'type:OrderCancelled' })).toMatchObject([{ type: 'OrderCancelled' }])
    const causes = await letters.causes({ groupBy: 'type' })
    expect(JSON.stringify(causes)).toContain('OrderCancelled')
  })

  it('that fits no message, or not its schema, is parked with what is wrong', async () => {
    const warren = await setup()
    const consumer = await warren.consume('billing', { OrderPlaced: () => undefined })
    const settled = collect(consumer, 'delivery.settled')
    const publisher = warren.publisher()

    await publisher.publish({ exchange: 'orders', key: 'order.lost', body: {}, messageId: 'a' })
    await publisher.publish({ exchange: 'orders', key: 'order.placed', body: { id: 'x' }, messageId: 'b' })
    await publisher.publish({
      exchange: 'orders',
      key: 'order.placed',
      type: 'Strange',
      body: {},
      messageId: 'c',
    })

    await eventually(() => expect(settled).toHaveLength(3))
    const letters = await warren.deadLetters('billing').peek()
    const errors = letters.map(({ headers }) => headers['x-final-error'])
    expect(errors).toEqual([
      'The message "a" has no type, and no message is published to the exchange "orders" with the key "order.lost"; the consumer of "billing" has handlers for OrderPlaced.',
      expect.stringMatching(/^The message "b" does not fit its schema: id: /),
      'The message "c" is of type "Strange"; the consumer of "billing" has handlers for OrderPlaced.',
    ])
  })
})

describe('consume() refuses', () => {
  it('handlers that do not fit what the queue handles', async () => {
    const warren = await setup()

    await expect(warren.consume('warehouse', {})).rejects.toThrow('consume("warehouse") got no handler.')
    await expect(warren.consume('warehouse', { OrderPlacd: () => {} } as never)).rejects.toThrow(
      'The topology has no message "OrderPlacd"; did you mean "OrderPlaced"?',
    )
    await expect(warren.consume('warehouse', { OrderPlaced: () => {} } as never)).rejects.toThrow(
      'The queue "warehouse" handles StockCounted, as its topology says, but consume() got no handler for it.',
    )
    await expect(
      warren.consume('warehouse', { StockCounted: () => {}, OrderPlaced: () => {} } as never),
    ).rejects.toThrow('a handler for OrderPlaced, which the queue "warehouse" does not handle')
    await expect(warren.consume('billing', { OrderPlaced: 3 } as never)).rejects.toThrow('must be a function')
    await expect(
      warren.consume('billing', { OrderPlaced: () => {} }, { unknown: 'drop' as never }),
    ).rejects.toThrow("unknown of consume() is 'drop'")
  })
})

it('the compiler finds what does not fit', () => {
  expect(typeErrors).toBeTypeOf('function') // it is not run: that it compiles is the test
})

async function typeErrors(warren: WarrenOf<typeof topology>) {
  // @ts-expect-error a body of another message
  await warren.publish('OrderPlaced', { id: 1 })
  // @ts-expect-error a field that the message has not
  await warren.publish('OrderCancelled', { id: 1, reason: 'no' })
  // @ts-expect-error there is no such message
  await warren.publish('OrderLost', {})
  // @ts-expect-error its address is known by its name
  await warren.publish('OrderCancelled', { id: 1 }, { key: 'other' })
  await warren.publisher({ resend: true }).publish('OrderCancelled', { id: 1 })
  // @ts-expect-error one of them has the wrong type
  await warren.publisher().publishMany('OrderCancelled', [{ id: 1 }, { id: '2' }])
  // @ts-expect-error orders are not routed to the warehouse
  await warren.consume('warehouse', { OrderPlaced: () => undefined })
  // @ts-expect-error stock is not routed to billing
  await warren.consume('billing', { OrderPlaced: () => undefined, StockCounted: () => undefined })
  await warren.consume('billing', {
    // @ts-expect-error a placed order has no cents
    OrderPlaced: ({ body }) => console.log(body.cents),
  })
  // @ts-expect-error a number is no answer
  await warren.consume('billing', { OrderPlaced: () => 3 })
  // @ts-expect-error there is no such queue
  await warren.consume('biling', { OrderPlaced: () => undefined })
  // @ts-expect-error the messages have their schemas
  await warren.consume('billing', { OrderPlaced: () => undefined }, { schema: z.object({}) })
  await warren.consume('warehouse', { StockCounted: ({ body }) => void expectTypeOf(body).toBeUnknown() })
  const plain: Warren<'billing' | 'warehouse'> = warren
  // @ts-expect-error nobody knows messages here
  await plain.consume('billing', { OrderPlaced: () => undefined })
}
