import { describe, expect, it } from 'vitest'
import { InvalidArgumentError } from '../errors.ts'
import { createEvents } from '../events.ts'
import type { Outcome } from './decide/decide-outcome.ts'
import type { BreakerKind, ConsumerEvents } from './observe/consumer-events.ts'
import { createConsumerMetrics } from './observe/consumer-metrics.ts'
import { jsonLogger, logConsumer } from './observe/log-consumer.ts'
import { renderMetrics } from './observe/render-metrics.ts'
import type { ConsumedMessage } from './run/consumed-message.ts'

const message: ConsumedMessage = {
  body: 'x',
  rawBody: Buffer.from('x'),
  headers: {},
  exchange: 'orders',
  routingKey: 'order.placed',
  id: 'm1',
  type: 'OrderPlaced',
  correlationId: 'c1',
  replyTo: undefined,
  appId: undefined,
  contentType: undefined,
  contentEncoding: undefined,
  timestamp: undefined,
  isRedelivered: false,
}
const delivery = { queue: 'work', message, attempt: 3 }
const dead: Outcome = {
  kind: 'dead-letter',
  reason: 'attempts-exhausted',
  attempt: 3,
  failure: { errorType: 'Error', errorMessage: 'no price', stack: 'secret path' },
  park: { kind: 'reject' },
}

function setup() {
  const events = createEvents<ConsumerEvents>()
  const breaker = 'open' as BreakerKind
  return { queue: 'work', events, counts: { waiting: 2, running: 1, held: 0 }, breaker }
}

describe('the log of a consumer', () => {
  it('has a line of JSON with who, what and why, and the code that event-bus logs', () => {
    const consumer = setup()
    const lines: string[] = []
    logConsumer(consumer, jsonLogger({ write: (line) => lines.push(line), now: () => 5 }))

    consumer.events.emit('delivery.settled', { ...delivery, outcome: dead, durationMs: 12 })

    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        level: 50,
        time: 5,
        event: 'delivery.settled',
        queue: 'work',
        routingKey: 'order.placed',
        messageId: 'm1',
        messageType: 'OrderPlaced',
        correlationId: 'c1',
        attempt: 3,
        outcome: 'dead-letter',
        reason: 'attempts-exhausted',
        code: 'RABBITMQ_MESSAGE_MAX_RETRIES_EXCEEDED',
        error: 'no price',
        errorType: 'Error',
        durationMs: 12,
        msg: 'RABBITMQ_MESSAGE_MAX_RETRIES_EXCEEDED: attempt 3 was the last; moved to the dead-letter queue.',
      },
    ])
  })

  it('says why a copy could not be published', () => {
    const consumer = setup()
    const lines: string[] = []
    logConsumer(consumer, jsonLogger({ write: (line) => lines.push(line) }))
    const cause = new InvalidArgumentError('the headers are too long')

    consumer.events.emit('settle.failed', {
      ...delivery,
      outcome: dead,
      result: { kind: 'unknown', messageId: 'm1', wasSent: false, cause },
      nextAttemptMs: 100,
    })

    expect(JSON.parse(lines[0]!)).toMatchObject({
      publish: 'unknown',
      error: 'the headers are too long',
      errorType: 'InvalidArgumentError',
      nextAttemptMs: 100,
    })
  })

  it('leaves out what is below its level, and ends when told to', () => {
    const consumer = setup()
    const lines: string[] = []
    const stop = logConsumer(consumer, jsonLogger({ write: (line) => lines.push(line), level: 'warn' }))

    consumer.events.emit('consumer.started', { queue: 'work' })
    consumer.events.emit('consumer.interrupted', { queue: 'work', error: new Error('cut') })
    stop()
    consumer.events.emit('consumer.interrupted', { queue: 'work', error: undefined })

    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 40, error: 'cut' })
  })

  it('warns of a message that is put at the end of its queue because its limit is near, and not of one that is counted', () => {
    const consumer = setup()
    const lines: string[] = []
    logConsumer(consumer, jsonLogger({ write: (line) => lines.push(line), level: 'debug' }))
    const settle = (outcome: ConsumerEvents['delivery.settled']['outcome']) =>
      consumer.events.emit('delivery.settled', { ...delivery, outcome, durationMs: undefined })

    settle({ kind: 'recount', deliveries: 0, why: 'near-limit' })
    settle({ kind: 'recount', deliveries: 2, why: 'uncounted' })

    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 40, msg: 'Put at the end of its queue, because it is near its delivery limit.' },
      {
        level: 20,
        msg: 'Delivered 2 times without an answer; put at the end of its queue with that count.',
      },
    ])
  })

  it('warns of a message that is kept because its queue leads nowhere, and not of one that is deferred', () => {
    const consumer = setup()
    const lines: string[] = []
    logConsumer(consumer, jsonLogger({ write: (line) => lines.push(line) }))
    const failure = { errorMessage: 'no price' }

    consumer.events.emit('delivery.held', {
      ...delivery,
      outcome: { kind: 'hold', why: 'no-way-out', untilMs: 9, failure },
    })
    consumer.events.emit('delivery.held', {
      ...delivery,
      outcome: { kind: 'hold', why: 'deferred', untilMs: 9 },
    })

    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        level: 40,
        error: 'no price',
        msg: expect.stringMatching(/neither a retry policy nor a dead-letter exchange/),
      },
    ])
  })
})

describe('the metrics of a consumer', () => {
  it('count outcomes, durations and what is in hand', () => {
    const consumer = setup()
    const metrics = createConsumerMetrics()
    const stop = metrics.observe(consumer)

    consumer.events.emit('delivery.settled', { ...delivery, outcome: dead, durationMs: 20 })
    consumer.events.emit('delivery.settled', {
      ...delivery,
      outcome: { kind: 'acknowledge' },
      durationMs: 700,
    })
    consumer.events.emit('delivery.settled', { ...delivery, outcome: { kind: 'acknowledge' }, durationMs: 1 })

    const lines = metrics.render().split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        '# TYPE warren_deliveries_settled_total counter',
        'warren_deliveries_settled_total{queue="work",outcome="dead-letter",reason="attempts-exhausted"} 1',
        'warren_deliveries_settled_total{queue="work",outcome="acknowledge",reason=""} 2',
        'warren_delivery_duration_seconds_bucket{queue="work",le="0.005"} 1',
        'warren_delivery_duration_seconds_bucket{queue="work",le="0.025"} 2',
        'warren_delivery_duration_seconds_bucket{queue="work",le="+Inf"} 3',
        'warren_delivery_duration_seconds_count{queue="work"} 3',
        'warren_deliveries_in_hand{queue="work",state="waiting"} 2',
        'warren_breaker_open{queue="work"} 1',
      ]),
    )
    stop()
    consumer.events.emit('delivery.settled', { ...delivery, outcome: dead, durationMs: 20 })
    expect(metrics.render()).toContain('reason="attempts-exhausted"} 1')
  })

  it('count a delivery that was never started, and no duration of it', () => {
    const consumer = setup()
    const metrics = createConsumerMetrics()
    metrics.observe(consumer)

    consumer.events.emit('delivery.settled', {
      ...delivery,
      outcome: { kind: 'give-back' },
      durationMs: undefined,
    })

    expect(metrics.render()).toContain('outcome="give-back",reason=""} 1')
    expect(metrics.render()).not.toContain('warren_delivery_duration_seconds_sum{')
  })

  it('are text that Prometheus can read, whatever a queue is called', () => {
    const samples = [{ labels: { queue: 'a"b\\c\nd' }, value: Number.POSITIVE_INFINITY }]
    expect(renderMetrics([{ name: 'n', help: 'h', type: 'gauge', samples }])).toBe(
      '# HELP n h\n# TYPE n gauge\nn{queue="a\\"b\\\\c\\nd"} +Inf\n',
    )
  })
})
