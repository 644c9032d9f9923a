import {
  type ArgumentMetadata,
  BadRequestException,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  Inject,
  Injectable,
  type PipeTransform,
  Scope,
  ValidationPipe,
} from '@nestjs/common'
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, REQUEST } from '@nestjs/core'
import { Consume, MessageBody, MessageHeaders, WarrenModule } from '@warrenmq/nestjs'
import { map, type Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { type ConsumedMessage, defineTopology, type HandlerReturn, reject } from 'warrenmq'
import { openApp } from './open-app.ts'

const topology = defineTopology({ queues: { orders: { retry: { delays: ['5m'], maxAttempts: 2 } } } })
const warren = () => WarrenModule.forRoot({ url: 'amqp://nobody-is-there', topology })

class OrderDto {
  declare id: number
}

/** Two messages, 1 and 2, whose answers an interceptor of the application changes. */
async function changeAnswers(
  change: (result: Observable<unknown>) => Observable<unknown>,
  answer: (body: unknown) => HandlerReturn,
) {
  @Injectable()
  class Change {
    intercept(_context: ExecutionContext, next: { handle(): Observable<unknown> }) {
      return change(next.handle())
    }
  }
  @Injectable()
  class Billing {
    @Consume('orders')
    charge({ body }: ConsumedMessage) {
      return answer(body)
    }
  }
  const { broker, publisher } = await openApp({
    imports: [warren()],
    providers: [Billing, { provide: APP_INTERCEPTOR, useClass: Change }],
  })

  await publisher.publish({ key: 'orders', body: 1 })
  await publisher.publish({ key: 'orders', body: 2 })
  await broker.settled()
  return {
    left: broker.inspect('orders')?.messages,
    dead: (broker.inspect('orders.dlq')?.messages ?? []).map(({ headers }) => JSON.stringify(headers)),
  }
}

describe('pipes', () => {
  it('know the body as a body and its class, as on a route, so that a ValidationPipe does not pass it by', async () => {
    const seen: ArgumentMetadata[] = []
    @Injectable()
    class Look implements PipeTransform {
      transform(value: unknown, metadata: ArgumentMetadata) {
        seen.push(metadata)
        return value
      }
    }
    @Injectable()
    class Billing {
      @Consume('orders')
      charge(
        @MessageBody() _order: OrderDto,
        @MessageBody('id') _id: number,
        @MessageHeaders('t') _t: string,
      ) {}
    }
    const { broker, publisher } = await openApp({
      imports: [warren()],
      providers: [Billing, { provide: APP_PIPE, useClass: Look }],
    })

    await publisher.publish({ key: 'orders', body: { id: 42 } })
    await broker.settled()

    expect(seen).toHaveLength(3)
    expect(seen).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'body', metatype: OrderDto, data: undefined }),
        expect.objectContaining({ type: 'body', metatype: Number, data: 'id' }),
        expect.objectContaining({ type: 'custom', metatype: String, data: 't' }),
      ]),
    )
  })

  it('park what a ValidationPipe refuses, with what is wrong with each field', async () => {
    const handled: unknown[] = []
    @Injectable()
    class Billing {
      @Consume('orders')
      charge(@MessageBody(validation()) order: OrderDto) {
        handled.push(order)
      }
    }
    const { broker, publisher } = await openApp({ imports: [warren()], providers: [Billing] })

    await publisher.publish({ key: 'orders', body: { id: 42 } })
    await publisher.publish({ key: 'orders', body: { id: 'x' } })
    await broker.settled()

    expect(handled).toEqual([{ id: 42 }])
    const dead = broker.inspect('orders.dlq')?.messages ?? []
    expect(dead.map(({ headers }) => JSON.stringify(headers))).toEqual([
      expect.stringContaining('BadRequestException: id must be a number'),
    ])
  })
})

/** Nest's own pipe, over the least that it needs of class-validator and class-transformer. */
function validation(): ValidationPipe {
  const wrong = { property: 'id', constraints: { isNumber: 'id must be a number' } }
  return new ValidationPipe({
    validatorPackage: {
      validate: async (order: object) => (typeof (order as OrderDto).id === 'number' ? [] : [wrong]),
    } as never,
    transformerPackage: {
      plainToInstance: (kind: new () => object, plain: object) => Object.assign(new kind(), plain),
      classToPlain: (order: object) => ({ ...order }),
    } as never,
  })
}

describe('guards, interceptors and filters of the whole application', () => {
  it('apply to messages, and know them by their type', async () => {
    const told: unknown[] = []
    class Guard implements CanActivate {
      canActivate(context: ExecutionContext) {
        told.push(['guard', context.getType()])
        return true
      }
    }
    class Interceptor {
      intercept(context: ExecutionContext, next: { handle(): Observable<unknown> }) {
        told.push(['interceptor', context.getHandler().name, context.getClass().name])
        return next.handle()
      }
    }
    @Catch()
    class Filter implements ExceptionFilter {
      catch(error: Error) {
        told.push(['filter', error.message])
        throw error
      }
    }
    @Injectable()
    class Billing {
      @Consume('orders')
      charge() {
        throw new BadRequestException('no such customer')
      }
    }
    const { broker, publisher } = await openApp({
      imports: [warren()],
      providers: [
        Billing,
        { provide: APP_GUARD, useClass: Guard },
        { provide: APP_INTERCEPTOR, useClass: Interceptor },
        { provide: APP_FILTER, useClass: Filter },
      ],
    })

    await publisher.publish({ key: 'orders', body: 1 })
    await broker.settled()

    expect(told).toEqual([
      ['guard', 'warren'],
      ['interceptor', 'charge', 'Billing'],
      ['filter', 'no such customer'],
    ])
    expect(broker.inspect('orders.dlq')?.messages).toHaveLength(1)
  })

  it('apply also if they are of scope REQUEST: each message gets its own', async () => {
    const asked: unknown[] = []
    @Injectable({ scope: Scope.REQUEST })
    class OnlyOne implements CanActivate {
      constructor(@Inject(REQUEST) private readonly message: ConsumedMessage) {}
      canActivate() {
        asked.push(this.message.body)
        return this.message.body === 1
      }
    }
    const handled: unknown[] = []
    @Injectable()
    class Billing {
      @Consume('orders')
      charge(message: ConsumedMessage) {
        handled.push(message.body)
      }
    }
    const { broker, publisher } = await openApp({
      imports: [warren()],
      providers: [Billing, { provide: APP_GUARD, useClass: OnlyOne }],
    })

    await publisher.publish({ key: 'orders', body: 1 })
    await publisher.publish({ key: 'orders', body: 2 })
    await broker.settled()

    expect([asked.toSorted(), handled]).toEqual([[1, 2], [1]])
    expect(broker.inspect('orders.dlq')?.messages).toHaveLength(1)
  })

  const inAnEnvelope = map((data: unknown) => ({ data }))
  const inOneWithStatus = map((data: unknown) => ({ status: 200, message: 'OK', data }))
  const serialized = map((data: unknown) => ({ status: 200, data: JSON.stringify(data) }))
  it.each<[string, (result: Observable<unknown>) => Observable<unknown>]>([
    ['puts an envelope around it, as for answers over HTTP', (result) => result.pipe(inAnEnvelope)],
    ['puts one around it that has a status', (result) => result.pipe(inOneWithStatus)],
    ['puts what it is as text into one with a status', (result) => result.pipe(serialized)],
    ['returns nothing', (result) => result.pipe(map(() => undefined))],
  ])('lose no answer of the method if an interceptor %s', async (_, change) => {
    const { left, dead } = await changeAnswers(change, (body) =>
      body === 1 ? undefined : reject('not an order'),
    )

    expect(left).toHaveLength(0)
    expect(dead).toEqual([expect.stringContaining('not an order')])
  })

  it('lose no status of the method if an interceptor puts an envelope with one around it', async () => {
    const { left, dead } = await changeAnswers(
      (result) => result.pipe(inOneWithStatus),
      (body) => ({ status: body === 1 ? 204 : 422, error: 'not an order' }),
    )

    expect(left).toHaveLength(0)
    expect(dead).toEqual([expect.stringContaining('not an order')])
  })

  it('may make another status of that of the method', async () => {
    const { left, dead } = await changeAnswers(
      (result) => result.pipe(map(() => ({ status: 422, error: 'not here' }))),
      () => ({ status: 204 }),
    )

    expect(left).toHaveLength(0)
    expect(dead).toHaveLength(2)
  })

  it('may answer for the method', async () => {
    @Injectable()
    class NotToday {
      intercept(_context: ExecutionContext, next: { handle(): Observable<unknown> }) {
        return next.handle().pipe(map(() => reject('not today')))
      }
    }
    @Injectable()
    class Billing {
      @Consume('orders')
      charge() {}
    }
    const { broker, publisher } = await openApp({
      imports: [warren()],
      providers: [Billing, { provide: APP_INTERCEPTOR, useClass: NotToday }],
    })

    await publisher.publish({ key: 'orders', body: 1 })
    await broker.settled()

    expect(broker.inspect('orders.dlq')?.messages).toHaveLength(1)
  })
})

describe('a consumer of scope TRANSIENT', () => {
  it('is constructed, once, with an instance of its own of what it injects', async () => {
    let made = 0
    const handled: unknown[] = []
    @Injectable()
    class Payments {
      readonly open = true
    }
    @Injectable({ scope: Scope.TRANSIENT })
    class Billing {
      readonly number = ++made
      constructor(private readonly payments: Payments) {}
      @Consume('orders')
      charge(message: ConsumedMessage) {
        handled.push([message.body, this.payments.open, this.number])
      }
    }
    const { broker, publisher } = await openApp({ imports: [warren()], providers: [Payments, Billing] })

    await publisher.publish({ key: 'orders', body: 1 })
    await broker.settled()
    await publisher.publish({ key: 'orders', body: 2 })
    await broker.settled()

    expect(handled).toEqual([
      [1, true, 1],
      [2, true, 1],
    ])
  })
})
