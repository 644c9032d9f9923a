import { Injectable } from '@nestjs/common'
import { Consume, MessageBody, On, WarrenConnection, WarrenModule, WarrenPublisher } from '@warrenmq/nestjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  type BodyToHandle,
  type ConsumedMessage,
  defineMessages,
  defineTopology,
  type HandlerContext,
  type TopologyDeclaration,
  unchecked,
} from 'warrenmq'
import { z } from 'zod'
import { openApp } from './open-app.ts'

const messages = defineMessages({
  OrderPlaced: {
    exchange: 'orders',
    key: 'order.placed',
    schema: z.object({ id: z.number(), at: z.iso.datetime().transform((text) => new Date(text)) }),
  },
  OrderCancelled: { exchange: 'orders', key: 'order.cancelled', schema: unchecked<{ id: number }>() },
})
type OrderPlaced = BodyToHandle<(typeof messages)['OrderPlaced']>

const topology = defineTopology({
  exchanges: { orders: { type: 'topic' } },
  queues: {
    billing: {
      bind: [{ exchange: 'orders', key: 'order.*' }],
      retry: { delays: ['5m'], maxAttempts: 2 },
    },
  },
  messages,
})
const warren = (parts: TopologyDeclaration<string> = topology) =>
  WarrenModule.forRoot({ url: 'amqp://nobody-is-there', topology: parts })
const at = '2026-01-31T12:00:00Z'

describe('a method with @On', () => {
  it('handles the message of its name, with what the schema makes of the body', async () => {
    const handled: unknown[] = []
    @Injectable()
    @Consume('billing', { concurrency: 1 })
    class Billing {
      @On<typeof messages>('OrderPlaced')
      charge(@MessageBody() order: OrderPlaced) {
        handled.push(['placed', order])
      }

      @On<typeof messages>('OrderCancelled')
      refund({ body }: ConsumedMessage<{ id: number }>, { attempt }: HandlerContext) {
        handled.push(['cancelled', body, attempt])
        if (attempt === 1) throw new Error('the bank is closed')
      }
    }
    const { app, broker } = await openApp({ imports: [warren()], providers: [Billing] })
    const publisher: WarrenPublisher<typeof messages> = app.get(WarrenPublisher)

    await publisher.publish('OrderPlaced', { id: 1, at })
    await broker.settled()
    await publisher.publish('OrderCancelled', { id: 2 })
    await broker.settled()
    await broker.clock.advance('5m')

    expect(handled).toEqual([
      ['placed', { id: 1, at: new Date(at) }],
      ['cancelled', { id: 2 }, 1],
      ['cancelled', { id: 2 }, 2],
    ])
  })

  it('gets no body that its schema refuses, and no message that it does not handle: these are parked', async () => {
    const handled: unknown[] = []
    @Injectable()
    @Consume('billing')
    class Billing {
      @On('OrderPlaced')
      charge(@MessageBody() order: unknown) {
        handled.push(order)
      }
    }
    const { app, broker } = await openApp({ imports: [warren()], providers: [Billing] })
    const { publish } = bound(app.get<WarrenPublisher<typeof messages>>(WarrenPublisher))

    await publish({ exchange: 'orders', key: 'order.placed', body: { id: 'x' } })
    await publish({ exchange: 'orders', key: 'order.cancelled', body: { id: 2 } })
    await broker.settled()

    expect(handled).toEqual([])
    const errors = broker.inspect('billing.dlq')?.messages.map(({ headers }) => JSON.stringify(headers))
    expect(errors).toEqual([
      expect.stringContaining('does not fit its schema: id: '),
      expect.stringContaining('has handlers for OrderPlaced'),
    ])
  })

  it('shares its queue with methods of other classes, which find it by "handles"', async () => {
    const handled: unknown[] = []
    @Injectable()
    class Billing {
      @On('OrderPlaced')
      charge() {
        handled.push('charge')
      }
    }
    @Injectable()
    class Refunds {
      @On('OrderCancelled')
      refund() {
        handled.push('refund')
      }
    }
    const queues = { billing: { ...topology.queues.billing, handles: ['OrderPlaced', 'OrderCancelled'] } }
    const parts = { exchanges: { orders: { type: 'topic' as const } }, queues, messages }
    const { app, broker } = await openApp({ imports: [warren(parts)], providers: [Billing, Refunds] })
    const connection: WarrenConnection<typeof messages> = app.get(WarrenConnection)

    await connection.publish('OrderPlaced', { id: 1, at })
    await connection.publish('OrderCancelled', { id: 1 })
    await broker.settled()

    expect(handled.toSorted()).toEqual(['charge', 'refund'])
  })
})

function bound(publisher: WarrenPublisher<typeof messages>) {
  return { publish: publisher.publish.bind(publisher) as (message: object) => Promise<unknown> }
}

describe('an application does not start', () => {
  const start = (...providers: (new () => object)[]) => openApp({ imports: [warren()], providers })

  it('if no queue is known for a message', async () => {
    @Injectable()
    class Billing {
      @On('OrderPlaced')
      charge() {}
    }
    await expect(start(Billing)).rejects.toThrow(
      'Billing.charge() handles OrderPlaced, and no queue of the topology has it in its "handles". Name the queue with @Consume on the class.',
    )
  })

  it('if a message is none of the topology', async () => {
    @Injectable()
    @Consume('billing')
    class Billing {
      @On('OrderPlacd')
      charge() {}
    }
    await expect(start(Billing)).rejects.toThrow(
      'The topology has no message "OrderPlacd"; did you mean "OrderPlaced"?',
    )
  })

  it('if two methods handle a message of one queue, or one of them all messages', async () => {
    @Injectable()
    @Consume('billing')
    class Billing {
      @On('OrderPlaced')
      charge() {}
    }
    @Injectable()
    @Consume('billing')
    class Shipping {
      @On('OrderPlaced')
      ship() {}
    }
    @Injectable()
    class Audit {
      @Consume('billing')
      write() {}
    }
    await expect(start(Billing, Shipping)).rejects.toThrow(
      'Billing.charge() and Shipping.ship() both handle OrderPlaced in the queue "billing"',
    )
    await expect(start(Billing, Audit)).rejects.toThrow('both consume the queue "billing"')
  })

  it('if classes give one queue different options, or a class handles nothing', async () => {
    @Injectable()
    @Consume('billing', { concurrency: 1 })
    class Billing {
      @On('OrderPlaced')
      charge() {}
    }
    @Injectable()
    @Consume('billing', { concurrency: 2 })
    class Refunds {
      @On('OrderCancelled')
      refund() {}
    }
    @Injectable()
    @Consume('billing')
    class Idle {}
    await expect(start(Billing, Refunds)).rejects.toThrow('the queue "billing" with different options')
    await expect(start(Idle)).rejects.toThrow(
      'Idle consumes the queue "billing", and no method of it handles a message.',
    )
  })
})

it('the compiler finds what does not fit', () => {
  expectTypeOf<OrderPlaced>().toEqualTypeOf<{ id: number; at: Date }>()
  expect(typeErrors).toBeTypeOf('function') // it is not run: that it compiles is the test
})

async function typeErrors(publisher: WarrenPublisher<typeof messages>, plain: WarrenPublisher) {
  // @ts-expect-error a body of another message
  await publisher.publish('OrderPlaced', { id: 1 })
  // @ts-expect-error there is no such message
  await publisher.publish('OrderLost', {})
  // @ts-expect-error nobody knows messages here
  await plain.publish('OrderPlaced', { id: 1, at })
  // @ts-expect-error there is no such message
  On<typeof messages>('OrderLost')
}
