import {
  BadRequestException,
  Catch,
  type ExceptionFilter,
  HttpException,
  Injectable,
  ServiceUnavailableException,
  UseFilters,
} from '@nestjs/common'
import { Consume, WarrenModule } from '@warrenmq/nestjs'
import { EMPTY, map, of, throwError } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { type ConsumedMessage, defineTopology, reject } from 'warrenmq'
import { openApp } from './open-app.ts'

const topology = defineTopology({ queues: { orders: { retry: { delays: ['5m'], maxAttempts: 2 } } } })
const warren = () => WarrenModule.forRoot({ url: 'amqp://nobody-is-there', topology })

describe('an exception filter', () => {
  async function letFail(error: Error, answer: (error: Error) => unknown) {
    @Catch()
    class Filter implements ExceptionFilter {
      catch(caught: Error) {
        return answer(caught)
      }
    }
    let attempts = 0
    @Injectable()
    class Billing {
      @Consume('orders')
      @UseFilters(Filter)
      charge() {
        attempts += 1
        throw error
      }
    }
    const { broker, publisher } = await openApp({ imports: [warren()], providers: [Billing] })
    await publisher.publish({ key: 'orders', body: 1 })
    await broker.settled()
    await broker.clock.advance('5m')
    const dead = broker.inspect('orders.dlq')?.messages ?? []
    return { attempts, dead: dead.map(({ headers }) => JSON.stringify(headers)) }
  }
  const failure = new Error('the bank is closed')

  it.each<[string, (error: Error) => unknown]>([
    ['returns nothing', () => undefined],
    ['returns nothing, later', async () => undefined],
    ['returns what is no answer, such as the result of a logger', async () => true],
    ['ends without a value', () => EMPTY],
    ['throws it on, as filters of microservices do', (error) => throwError(() => error)],
  ])('that %s leaves the message to its exception', async (_, answer) => {
    expect(await letFail(failure, answer)).toEqual({
      attempts: 2,
      dead: [expect.stringContaining('the bank is closed')],
    })
  })

  it.each<[string, () => unknown]>([
    ['by value', () => reject('closed for good')],
    ['later', async () => reject('closed for good')],
    ['by an observable', () => of('closed for good').pipe(map(reject))],
  ])('decides otherwise %s', async (_, answer) => {
    expect(await letFail(failure, answer)).toEqual({
      attempts: 1,
      dead: [expect.stringContaining('closed for good')],
    })
  })

  it('is done with the message by a status that says so', async () => {
    expect(await letFail(failure, async () => ({ status: 204 }))).toEqual({ attempts: 1, dead: [] })
  })

  it('may throw another exception, which counts', async () => {
    const other = (): never => {
      throw new BadRequestException('no such customer')
    }
    expect(await letFail(failure, other)).toEqual({
      attempts: 1,
      dead: [expect.stringContaining('no such customer')],
    })
  })

  it.each([40_001, 0, 99, 600, 404.5])(
    'leaves an exception whose status is no HTTP status, %d, to be retried',
    async (status) => {
      const own = new HttpException('not enough stock', status)
      const pass = (error: Error): never => {
        throw error
      }
      expect(await letFail(own, pass)).toEqual({
        attempts: 2,
        dead: [expect.stringContaining('not enough stock')],
      })
    },
  )

  it('of all of Nest is told as it stands, with what a ValidationPipe groups by field', async () => {
    const grouped = new BadRequestException({ message: { id: ['must be a number'] }, error: 'Bad Request' })
    const pass = (error: Error): never => {
      throw error
    }
    expect(await letFail(grouped, pass)).toMatchObject({
      dead: [expect.stringContaining('must be a number')],
    })
  })

  it('of a class is asked only for what it catches', async () => {
    const asked: string[] = []
    @Catch(HttpException)
    class OfHttp implements ExceptionFilter {
      async catch(error: HttpException) {
        asked.push(error.message)
      }
    }
    @Injectable()
    @UseFilters(OfHttp)
    class Billing {
      @Consume('orders')
      charge(message: ConsumedMessage) {
        throw message.body === 1 ? new ServiceUnavailableException('closed') : new Error('broken')
      }
    }
    const { broker, publisher } = await openApp({ imports: [warren()], providers: [Billing] })

    await publisher.publish({ key: 'orders', body: 1 })
    await publisher.publish({ key: 'orders', body: 2 })
    await broker.settled()
    await broker.clock.advance('5m')

    expect(asked).toEqual(['closed', 'closed'])
    const dead = broker.inspect('orders.dlq')?.messages ?? []
    expect(dead.map(({ headers }) => /closed|broken/.exec(JSON.stringify(headers))?.[0]).toSorted()).toEqual([
      'broken',
      'closed',
    ])
  })
})
