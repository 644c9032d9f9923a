import { EventEmitter, once } from 'node:events'
import {
  type ArgumentsHost,
  BadRequestException,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  ParseIntPipe,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common'
import { REQUEST } from '@nestjs/core'
import {
  Consume,
  Delivery,
  Message,
  MessageBody,
  MessageHeaders,
  WarrenConsumers,
  WarrenModule,
  WarrenPublisher,
} from '@warrenmq/nestjs'
import { tap } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { type ConsumedMessage, defineTopology, type HandlerContext, reject } from 'warrenmq'
import { openApp } from './open-app.ts'

const topology = defineTopology({ queues: { orders: { retry: { delays: ['5m'], maxAttempts: 2 } } } })
const warren = () => WarrenModule.forRoot({ url: 'amqp://nobody-is-there', topology })

describe('a method with @Consume', () => {
  it('handles the messages of its queue, and what it throws is retried after the delay', async () => {
    const handled: string[] = []
    @Injectable()
    class Billing {
      @Consume('orders')
      charge(message: ConsumedMessage<{ id: number }>, { attempt }: HandlerContext) {
        handled.push(`${message.body.id} at attempt ${attempt}`)
        if (attempt === 1) throw new Error('the bank is closed')
      }
    }
    const { broker, publisher } = await openApp({ imports: [warren()], providers: [Billing] })

    await publisher.publish({ key: 'orders', body: { id: 42 } })
    await broker.settled()
    await broker.clock.advance('5m')

    expect(handled).toEqual(['42 at attempt 1', '42 at attempt 2'])
    expect(broker.inspect('orders')?.messages).toHaveLength(0)
  })

  it('gets what its parameter decorators ask for, through their pipes', async () => {
    const handled: unknown[] = []
    @Injectable()
    class Billing {
      @Consume('orders')
      charge(
        @MessageBody('id', ParseIntPipe) id: number,
        @MessageHeaders('x-tenant') tenant: string,
        @Message() message: ConsumedMessage,
        @Delivery() { queue }: HandlerContext,
      ) {
        handled.push([id, tenant, message.id, queue])
      }
    }
    const { broker, publisher } = await openApp({ imports: [warren()], providers: [Billing] })

    await publisher.publish({
      key: 'orders',
      messageId: 'm1',
      body: { id: '42' },
      headers: { 'x-tenant': 'acme' },
    })
    await broker.settled()

    expect(handled).toEqual([[42, 'acme', 'm1', 'orders']])
  })

  it('parks at once what a pipe refuses, with the reason', async () => {
    @Injectable()
    class Billing {
      @Consume('orders')
      charge(@MessageBody('id', ParseIntPipe) _id: number) {
        throw new Error('is not reached')
      }
    }
    const { broker, publisher } = await openApp({ imports: [warren()], providers: [Billing] })

    await publisher.publish({ key: 'orders', body: { id: 'forty-two' } })
    await broker.settled()

    const dead = broker.inspect('orders.dlq')?.messages[0]
    expect(JSON.stringify(dead?.headers)).toContain('BadRequestException')
    expect(broker.inspect('orders')?.messages).toHaveLength(0)
  })

  it('parks what a guard forbids, and guards see the message', async () => {
    class OnlyAcme implements CanActivate {
      canActivate(context: ExecutionContext) {
        return context.getArgByIndex<ConsumedMessage>(0).headers['x-tenant'] === 'acme'
      }
    }
    const handled: unknown[] = []
    @Injectable()
    class Billing {
      @Consume('orders')
      @UseGuards(OnlyAcme)
      charge(message: ConsumedMessage) {
        handled.push(message.body)
      }
    }
    const { broker, publisher } = await openApp({ imports: [warren()], providers: [Billing] })

    await publisher.publish({ key: 'orders', body: 1, headers: { 'x-tenant': 'acme' } })
    await publisher.publish({ key: 'orders', body: 2, headers: { 'x-tenant': 'other' } })
    await broker.settled()

    expect(handled).toEqual([1])
    expect(broker.inspect('orders.dlq')?.messages).toHaveLength(1)
  })

  it('answers what its exception filter returns', async () => {
    @Catch(BadRequestException)
    class ParkWithReason implements ExceptionFilter {
      catch(error: BadRequestException, _host: ArgumentsHost) {
        return reject(`refused: ${error.message}`)
      }
    }
    @Injectable()
    class Billing {
      @Consume('orders')
      @UseFilters(ParkWithReason)
      charge() {
        throw new BadRequestException('no such customer')
      }
    }
    const { broker, publisher } = await openApp({ imports: [warren()], providers: [Billing] })

    await publisher.publish({ key: 'orders', body: 1 })
    await broker.settled()

    const dead = broker.inspect('orders.dlq')?.messages[0]
    expect(JSON.stringify(dead?.headers)).toContain('refused: no such customer')
  })

  it('runs within its interceptors', async () => {
    const told: string[] = []
    @Injectable()
    class Tell {
      intercept(context: ExecutionContext, next: { handle(): import('rxjs').Observable<unknown> }) {
        told.push(`before, in ${context.getType()}`)
        return next.handle().pipe(tap({ complete: () => told.push('after') }))
      }
    }
    @Injectable()
    class Billing {
      @Consume('orders')
      @UseInterceptors(Tell)
      charge() {
        told.push('charge')
      }
    }
    const { broker, publisher } = await openApp({ imports: [warren()], providers: [Billing] })

    await publisher.publish({ key: 'orders', body: 1 })
    await broker.settled()

    expect(told).toEqual(['before, in warren', 'charge', 'after'])
  })

  it('of a provider of scope REQUEST gets an instance per message, which may inject the message', async () => {
    const handled: unknown[] = []
    let made = 0
    @Injectable({ scope: Scope.REQUEST })
    class Billing {
      readonly number = ++made
      constructor(@Inject(REQUEST) private readonly message: ConsumedMessage) {}
      @Consume('orders')
      charge(@MessageBody() body: unknown) {
        handled.push([body, this.message.id, this.number])
      }
    }
    const { broker, publisher } = await openApp({ imports: [warren()], providers: [Billing] })

    await publisher.publish({ key: 'orders', messageId: 'a', body: 1 })
    await broker.settled()
    await publisher.publish({ key: 'orders', messageId: 'b', body: 2 })
    await broker.settled()

    expect(handled).toEqual([
      [1, 'a', 1],
      [2, 'b', 2],
    ])
  })

  it('is refused beside another one for the same queue', async () => {
    @Injectable()
    class Billing {
      @Consume('orders')
      charge() {}
    }
    @Injectable()
    class Shipping {
      @Consume('orders')
      ship() {}
    }
    const start = openApp({ imports: [warren()], providers: [Billing, Shipping] })
    await expect(start).rejects.toThrow(
      'Billing.charge() and Shipping.ship() both consume the queue "orders"',
    )
  })
})

describe('an application', () => {
  it('joins the parts of its features to one topology', async () => {
    const handled: unknown[] = []
    @Injectable()
    class Billing {
      constructor(private readonly publisher: WarrenPublisher) {}
      @Consume('billing.orders')
      async charge(message: ConsumedMessage) {
        handled.push(['billing', message.body])
        await this.publisher.publish({ exchange: 'orders.events', key: 'order.charged', body: message.body })
      }
    }
    @Injectable()
    class Shipping {
      @Consume('shipping.orders')
      ship(message: ConsumedMessage) {
        handled.push(['shipping', message.body])
      }
    }
    const bindTo = (key: string) => ({ bind: [{ exchange: 'orders.events', key }] })
    @Module({
      imports: [WarrenModule.forFeature({ queues: { 'billing.orders': bindTo('order.placed') } })],
      providers: [Billing],
    })
    class BillingModule {}
    @Module({
      imports: [WarrenModule.forFeature({ queues: { 'shipping.orders': bindTo('order.charged') } })],
      providers: [Shipping],
    })
    class ShippingModule {}
    const root = { exchanges: { 'orders.events': { type: 'topic' as const } }, queues: {} }
    const { broker, publisher } = await openApp({
      imports: [
        BillingModule,
        ShippingModule,
        WarrenModule.forRootAsync({ useFactory: () => ({ url: 'amqp://nobody-is-there', topology: root }) }),
      ],
    })

    await publisher.publish({ exchange: 'orders.events', key: 'order.placed', body: 7 })
    await broker.settled()

    expect(handled).toEqual([
      ['billing', 7],
      ['shipping', 7],
    ])
  })

  it('drains its consumers before other modules are destroyed', async () => {
    const told: string[] = []
    const turns = new EventEmitter()
    @Injectable()
    class Database {
      onModuleDestroy() {
        told.push('database closed')
      }
    }
    @Module({ providers: [Database], exports: [Database] })
    class DatabaseModule {}
    @Injectable()
    class Billing {
      constructor(readonly database: Database) {}
      @Consume('orders')
      async charge() {
        turns.emit('running')
        await once(turns, 'finish')
        told.push('charged')
      }
    }
    @Module({ imports: [DatabaseModule], providers: [Billing] })
    class BillingModule {}
    const { app, publisher, close } = await openApp({ imports: [BillingModule, warren()] })
    const running = once(turns, 'running')
    await publisher.publish({ key: 'orders', body: 1 })
    await running

    expect(app.get(WarrenConsumers).get('orders')).toBeDefined()
    const closing = close()
    turns.emit('finish')
    await closing

    expect(told).toEqual(['charged', 'database closed'])
  })
})
