import { describe, expect, it } from 'vitest'
import type { QueueFlow } from '../topology/queue-flow.ts'
import type { ConsumedMessage } from './consumed-message.ts'
import { type ConsumerOptions, settleConsumerOptions } from './consumer-options.ts'
import type { Handler, HandlerContext } from './handler.ts'
import { memoryDedupeStore } from './middleware/memory-dedupe-store.ts'

const flow = { layout: 'warren', defer: { short: 'hold', tiers: [] } } as unknown as QueueFlow
const settle = (options: ConsumerOptions) => settleConsumerOptions(options, flow)
const requeueing = {
  ...{ queue: 'erp.queue.erp-stock', layout: 'event-bus' },
  defer: { short: 'sleep-and-requeue', tiers: [] },
} as unknown as QueueFlow
const minute = 60_000

describe('waiting and handling together', () => {
  it.each([
    [{}, 24 * minute, 12 * minute],
    [{ timeout: '1m' }, minute, 23 * minute],
    [{ timeout: '21m' }, 21 * minute, 3 * minute],
    [{ timeout: '2h', ackTimeout: '4h' }, 120 * minute, 72 * minute],
  ])('stay within 80 %% of the time-out of the broker: %j', (options, timeoutMs, startWithinMs) => {
    expect(settle(options)).toMatchObject({ timeoutMs, startWithinMs })
  })

  it('cannot where the handler alone may take longer, and the sentence says what to do', () => {
    expect(() => settle({ timeout: '2h' })).toThrow(
      'timeout is 7200000 ms; with an ackTimeout of 1800000 ms a handler may take 1260000 ms at most. ' +
        "Raise the broker's consumer_timeout, and ackTimeout with it.",
    )
  })

  it('are never longer than a timer can be set for', () => {
    expect(settle({ ackTimeout: '90d' })).toMatchObject({ longestHoldMs: 2_147_483_647 })
  })
})

describe('without a prefetch', () => {
  it.each([
    [{}, 20],
    [{ timeout: '30s' }, 100],
    [{ timeout: '30s', concurrency: 1 }, 47],
    [{ timeout: '5m' }, 38],
    [{ concurrency: 1 }, 2],
    [{ concurrency: 200 }, 400],
    [{ concurrency: 65_000 }, 65_535],
  ] as const)(
    '%j is sent as many ahead as begin in time, and no more than AMQP can say',
    (options, prefetch) => {
      expect(settle(options)).toMatchObject({ prefetch })
    },
  )
})

describe('a poison limit', () => {
  it('is 10 deliveries unless another is said', () => {
    expect(settle({}).poisonLimit).toBe(10)
    expect(settle({ poisonLimit: 3 }).poisonLimit).toBe(3)
    expect(settle({ poisonLimit: false }).poisonLimit).toBeUndefined()
  })

  it('is none where too early messages are requeued, and one that is asked for there is refused', () => {
    expect(settleConsumerOptions({}, requeueing).poisonLimit).toBeUndefined()
    expect(settleConsumerOptions({ poisonLimit: false }, requeueing).poisonLimit).toBeUndefined()
    expect(() => settleConsumerOptions({ poisonLimit: 3 }, requeueing)).toThrow(
      'poisonLimit is 3, but "erp.queue.erp-stock" is a classic queue of the layout event-bus, where what is too early is ' +
        'requeued: nobody can tell that from a crash. Leave poisonLimit out, or make the queue quorum (without `exact`).',
    )
  })
})

describe('a delivery limit', () => {
  it('is what the user says of it, and nothing that no queue can have', () => {
    expect(settle({}).deliveryLimit).toBeUndefined()
    expect(settle({ deliveryLimit: false }).deliveryLimit).toBe(false)
    expect(settle({ deliveryLimit: 5 }).deliveryLimit).toBe(5)
    expect(() => settle({ deliveryLimit: -1 })).toThrow('deliveryLimit is -1; it must be a whole number')
    expect(() => settle({ deliveryLimit: 0 })).toThrow('deliveryLimit is 0; it must be a whole number')
  })
})

it('a dedupe store stops a duplicate before any other middleware sees it', async () => {
  const seen: string[] = []
  const watching = (next: Handler): Handler => {
    return (message, context) => {
      seen.push(String(message.id))
      return next(message, context)
    }
  }
  const { middleware } = settle({ dedupe: memoryDedupeStore(), middleware: [watching] })
  const handle = middleware.reduceRight<Handler>(
    (next, wrap) => wrap(next),
    () => undefined,
  )
  const message = { id: 'm1' } as ConsumedMessage

  for (let copy = 0; copy < 2; copy += 1) await handle(message, { queue: 'work' } as HandlerContext)

  expect(seen).toEqual(['m1'])
})
