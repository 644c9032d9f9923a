import { describe, expect, it } from 'vitest'
import { InvalidArgumentError } from '../errors.ts'
import type { QueueFlow } from '../topology/queue-flow.ts'
import type { ConsumerOptions } from './consumer-options.ts'
import type { Handler, HandlerContext } from './handler.ts'
import { memoryDedupeStore } from './middleware/memory-dedupe-store.ts'
import type { ConsumedMessage } from './run/consumed-message.ts'
import { settleConsumerOptions } from './settle-consumer-options.ts'

const flow = { layout: 'warren', defer: { short: 'hold', tiers: [] } } as unknown as QueueFlow
const settle = (options: ConsumerOptions) => settleConsumerOptions(options, flow)
const requeueing = {
  queue: 'erp.queue.erp-stock',
  layout: 'event-bus',
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
      'timeout is 7200000 ms; with an ackTimeout of 1800000 ms, a handler may take 1260000 ms at most. ' +
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
  it('is 10 deliveries unless another number is given', () => {
    expect(settle({}).poisonLimit).toBe(10)
    expect(settle({ poisonLimit: 3 }).poisonLimit).toBe(3)
    expect(settle({ poisonLimit: false }).poisonLimit).toBeUndefined()
  })

  it('is none where too early messages are requeued, and one that is asked for there is refused', () => {
    expect(settleConsumerOptions({}, requeueing).poisonLimit).toBeUndefined()
    expect(settleConsumerOptions({ poisonLimit: false }, requeueing).poisonLimit).toBeUndefined()
    expect(() => settleConsumerOptions({ poisonLimit: 3 }, requeueing)).toThrow(
      'poisonLimit is 3, but "erp.queue.erp-stock" is a classic queue of the layout event-bus. Messages that are too early are ' +
        'requeued there, which looks like a crash. Leave poisonLimit out, or make the queue quorum (without `exact`).',
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

describe('an option that cannot be meant is refused before anything is consumed:', () => {
  const table = { honoursRetryAfter: true, rules: [{ from: 200, means: 'acknowledge' }] }
  it.each<[unknown, string]>([
    [{ concurrency: Number.NaN }, 'concurrency is NaN; it must be a whole number from 1 to 65535.'],
    [{ concurrency: 70_000 }, 'concurrency is 70000; it must be a whole number from 1 to 65535.'],
    [{ prefetch: '20' }, "prefetch is '20'; it must be a whole number from 1 to 65535."],
    [{ prefetch: 5 }, 'prefetch is 5; it must be from 10 (the concurrency) to 65535.'],
    [{ orderBy: 'accountId' }, "orderBy is 'accountId'; it must be a function of the message."],
    [{ timeout: 0 }, "timeout is 0; it must be a duration above 0, such as '30s' or 1500."],
    [{ timeout: '30' }, "timeout is '30'; it must be a duration above 0, such as '30s' or 1500."],
    [{ ackTimeout: 10 }, "ackTimeout is 10; it must be a duration from '1s' on, such as '30m'."],
    [{ holdUpTo: -1 }, "holdUpTo is -1; it must be a duration, such as '30s', 1500 or 0."],
    [{ retryJitter: Number.NaN }, "retryJitter is NaN; it must be a duration, such as '30s', 1500 or 0."],
    [
      { retryJitter: '1h' },
      'retryJitter is 3600000 ms; with this timeout and ackTimeout a message may wait 720000 ms at most.',
    ],
    [
      { statusTable: 'eventbus' },
      "statusTable is 'eventbus'; it must be 'warren', 'event-bus' or a table of your own, { rules, honoursRetryAfter }.",
    ],
    [
      { statusTable: 'toString' },
      "statusTable is 'toString'; it must be 'warren', 'event-bus' or a table of your own, { rules, honoursRetryAfter }.",
    ],
    [{ statusTable: {} }, 'statusTable.rules is undefined; it must be a list of { from, to, means }.'],
    [{ statusTable: { rules: [] } }, 'statusTable.honoursRetryAfter is undefined; it must be true or false.'],
    [
      { statusTable: { ...table, rules: [...table.rules, { from: 500, means: 'park' }] } },
      "statusTable.rules[1].means is 'park'; it must be one of 'acknowledge', 'retry', 'defer', 'dead-letter'.",
    ],
    [
      { statusTable: { ...table, rules: [{ from: 400, to: '499', means: 'retry' }] } },
      "statusTable.rules[0].to is '499'; it must be a status from 100 to 999.",
    ],
    [{ poisonLimit: true }, 'poisonLimit is true; it must be a whole number from 1, or false.'],
    [{ deliveryLimit: 2.5 }, 'deliveryLimit is 2.5; it must be a whole number from 1, or false.'],
    [
      { breaker: 0.5 },
      'breaker is 0.5; it must be true, false or { failureRatio, minimumResults, window, open, maxOpen }.',
    ],
    [
      { breaker: { failureRatio: 50 } },
      'breaker.failureRatio is 50; it must be a number above 0 and not above 1.',
    ],
    [
      { breaker: { failureRatio: Number.NaN } },
      'breaker.failureRatio is NaN; it must be a number above 0 and not above 1.',
    ],
    [{ breaker: { minimumResults: 0 } }, 'breaker.minimumResults is 0; it must be a whole number from 1.'],
    [
      { breaker: { openMs: '5s' } },
      "breaker.openMs is '5s'; it must be a number of milliseconds from 1 to 2147483647.",
    ],
    [
      { breaker: { windowMs: Number.POSITIVE_INFINITY } },
      'breaker.windowMs is Infinity; it must be a number of milliseconds from 1 to 2147483647.',
    ],
    [
      { breaker: { openMs: 500, maxOpenMs: 100 } },
      'breaker.openMs is 500; it must be at most breaker.maxOpenMs, which is 100.',
    ],
    [{ decode: 'text' }, "decode is 'text'; it must be 'auto', 'json' or a function of the message."],
    [
      { schema: { parse: () => undefined } },
      'schema is an object; it must be a Standard Schema, as zod, valibot and arktype make them.',
    ],
    [
      { dedupe: new Map() },
      'dedupe is an object; it must be a store with the functions begin, finish and release.',
    ],
    [{ middleware: () => undefined }, 'middleware is a function; it must be a list of functions.'],
    [{ middleware: ['log'] }, 'middleware is a list; it must be a list of functions.'],
    [{ service: 7 }, 'service is 7; it must be a text.'],
    [{ host: null }, 'host is null; it must be a text.'],
    [{ tracing: true }, 'tracing is true; it must be the module @opentelemetry/api.'],
    [{ priority: 1.5 }, 'priority is 1.5; it must be a whole number from -2147483648 to 2147483647.'],
    [{ clock: Date }, 'clock is a function; it must be a clock with the functions now and schedule.'],
    [{ random: 0.5 }, 'random is 0.5; it must be a function that gives numbers from 0 up to 1.'],
    [7, 'What a consumer got as its options is 7; it must be an object.'],
  ])('%j', (options, sentence) => {
    const problem = new InvalidArgumentError(sentence)
    expect(() => settle(options as ConsumerOptions)).toThrow(problem)
  })
})

it('a table of statuses and a breaker that the user defines are taken as they are', () => {
  const statusTable = {
    honoursRetryAfter: false,
    rules: [{ from: 200, to: 299, means: 'acknowledge' }],
  } as const

  expect(settle({ statusTable }).statusTable).toBe(statusTable)
  expect(settle({ breaker: { openMs: 120_000 } }).breaker).toEqual({
    failureRatio: 0.5,
    minimumResults: 20,
    windowMs: 30_000,
    openMs: 120_000,
    maxOpenMs: 120_000,
  })
  expect(settle({ breaker: { failureRatio: undefined } }).breaker.failureRatio).toBeUndefined()
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
