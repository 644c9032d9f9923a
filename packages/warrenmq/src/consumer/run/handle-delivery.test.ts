import { describe, expect, it } from 'vitest'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import { createVirtualClock } from '../../embedded/model/virtual-clock.ts'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import type { PublishResult } from '../../publisher/publish-result.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import { type PlainTable, toFieldTable } from '../../wire/plain-fields.ts'
import { encodeProperties } from '../../wire/properties.ts'
import type { Handler } from '../handler.ts'
import { defer, reject } from '../handler-answer.ts'
import { statusTables } from '../http/status-tables.ts'
import { limitRuleOf } from '../settle/near-limit.ts'
import { settleConsumerOptions } from '../settle-consumer-options.ts'
import { createBodyLimit } from './body-limit.ts'
import { createDecoder } from './decoder.ts'
import { createHandling, handleDelivery } from './handle-delivery.ts'
import { createRun } from './run.ts'
import { interruptRun } from './run-handler.ts'

const tier = { delayMs: 5_000, exchange: '', key: 'work.5s', queue: 'work.5s' }
const flow = {
  queue: 'work',
  retry: { kind: 'publish', tiers: [tier], scheduleMs: [5_000] },
  defer: { short: 'hold', tiers: [tier] },
  park: { kind: 'publish', exchange: 'work.dlx', key: 'work' },
  attempts: { kind: 'header', header: 'attempts' },
  maxAttempts: 3,
  headers: { originalExchange: 'exchange', originalRoutingKey: 'key' },
} as unknown as QueueFlow
const plain: QueueFlow = { ...flow, retry: undefined, park: undefined, maxAttempts: 1 }

const confirmed: PublishResult = { kind: 'confirmed', messageId: 'm1', mayBeDuplicate: false }
const nacked: PublishResult = { kind: 'nacked', messageId: 'm1', mayBeDuplicate: false }

const failing: Handler = () => {
  throw new Error('no')
}

interface Given {
  readonly handler?: Handler
  readonly flow?: QueueFlow
  /** What the broker says to one copy after the other; to the rest as to the last. */
  readonly answers?: readonly PublishResult[]
  readonly headers?: PlainTable
  /** How the broker takes an answer. */
  readonly settles?: 'sent' | 'stale'
}

/** One delivery, and all that is heard of it and done with it, in order. */
function setup(given: Given) {
  const { handler = () => {}, answers = [confirmed], headers, settles = 'sent' } = given
  const heard: unknown[] = []
  const clock = createVirtualClock(0)
  const ending = new AbortController()
  const said = (what: string) => {
    heard.push(what)
    return settles
  }
  const delivery = {
    isRedelivered: headers !== undefined,
    exchange: '',
    routingKey: 'work',
    properties: encodeProperties({ messageId: 'm1', ...(headers && { headers: toFieldTable(headers) }) }),
    body: [Buffer.from('x')],
    bodyBytes: 1,
    isCurrent: true,
    ack: () => said('ack'),
    nack: ({ requeue }: { requeue: boolean }) => said(requeue ? 'requeue' : 'nack'),
  }
  const queueFlow = given.flow ?? flow
  const left = [...answers]
  const handling = createHandling({
    flow: queueFlow,
    handler,
    surroundings: { flow: queueFlow, statusTable: statusTables.warren, beginsNow: () => true },
    options: settleConsumerOptions({ clock, holdUpTo: '1s', ackTimeout: '75s' }, queueFlow),
    publisher: {
      publishEncoded: ({ exchange, key }, settle) => {
        heard.push(`publish to ${exchange}/${key}`)
        settle(left.length > 1 ? left.shift()! : left[0]!)
      },
    },
    bodyLimit: createBodyLimit(),
    login: undefined,
    limitRule: limitRuleOf(queueFlow, 20),
    tracing: undefined,
    gate: { isOpenFor: () => true, moving: () => {}, moved: () => {} },
    held: { size: () => 0 },
    ending: ending.signal,
    listener: {
      decided: (_, { kind }) => heard.push(`decided ${kind}`),
      unplaced: (_, { result, nextAttemptMs }) => heard.push(`${result.kind}, again in ${nextAttemptMs} ms`),
      ended: (_, result) => heard.push(result),
    },
  })
  const run = createRun(
    delivery as unknown as Delivery,
    {
      decode: createDecoder('work'),
      orderBy: undefined,
      attempts: queueFlow.attempts,
      hasPoison: false,
    },
    { version: parseBrokerVersion('4.0.5'), nowMs: 0 },
  )
  run.startedAtMs = 0
  /** Until nothing happens any more without time. */
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const pass = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      await settled()
      clock.step(Number.POSITIVE_INFINITY)
    }
    await settled()
  }
  return { heard, run, delivery, ending, pass, settled, handle: () => handleDelivery(run, handling) }
}

const acknowledged = { kind: 'settled', outcome: { kind: 'acknowledge' }, isAcknowledged: true }

describe('a delivery has one result', () => {
  it.each<[string, Given, readonly unknown[]]>([
    ['of what was handled', {}, ['decided acknowledge', 'ack', acknowledged]],
    ['of what was handled later', { handler: async () => {} }, ['decided acknowledge', 'ack', acknowledged]],
    [
      'when the channel is gone by then',
      { settles: 'stale' },
      ['decided acknowledge', 'ack', { kind: 'stale', outcome: { kind: 'acknowledge' }, isDone: true }],
    ],
    [
      'of what failed, once its copy is placed',
      { handler: failing },
      [
        'decided retry',
        'publish to /work.5s',
        'ack',
        { kind: 'settled', outcome: { kind: 'retry' }, isAcknowledged: true },
      ],
    ],
    [
      'when the channel goes after the copy was placed',
      { handler: failing, settles: 'stale' },
      [
        'decided retry',
        'publish to /work.5s',
        'ack',
        { kind: 'stale', outcome: { kind: 'retry' }, isDone: true },
      ],
    ],
    [
      'of what its handler rejects, where the queue does the rest',
      { handler: () => reject('no'), flow: { ...flow, park: { kind: 'reject' } } },
      [
        'decided dead-letter',
        'nack',
        { kind: 'settled', outcome: { kind: 'dead-letter' }, isAcknowledged: false },
      ],
    ],
    [
      'of what waits here',
      { handler: () => defer('1s') },
      ['decided hold', { kind: 'kept', outcome: { kind: 'hold', why: 'deferred', untilMs: 1_000 } }],
    ],
    [
      'of what has no way out',
      { handler: failing, flow: plain },
      ['decided hold', { kind: 'kept', outcome: { kind: 'hold', why: 'no-way-out' } }],
    ],
    [
      'of what must not be returned once more',
      { headers: { 'x-delivery-count': 10 }, flow: plain },
      [
        'publish to /work',
        'ack',
        { kind: 'settled', outcome: { kind: 'recount', why: 'near-limit' }, isAcknowledged: true },
      ],
    ],
    [
      'of what must not be returned and cannot leave either',
      { headers: { 'x-delivery-count': 10 }, flow: plain, answers: [nacked] },
      ['publish to /work', 'nacked, again in 0 ms', { kind: 'not-recounted', outcome: { kind: 'recount' } }],
    ],
  ])('%s', async (_, given, expected) => {
    const { handle, heard, settled } = setup(given)
    handle()
    await settled()
    expect(heard).toMatchObject(expected)
  })

  it('at once where neither its handler nor the broker is waited for', () => {
    const { handle, heard } = setup({})
    handle()
    expect(heard).toMatchObject(['decided acknowledge', 'ack', acknowledged])
  })

  it('and the first answer counts: that of the handler comes too late', async () => {
    let answer = (): void => {}
    const handler = () => new Promise<void>((resolve) => (answer = resolve))
    const { handle, heard, run, settled } = setup({ handler })

    handle()
    interruptRun(run, new Error('too long'))
    answer()
    await settled()

    expect(heard.filter((one) => typeof one === 'object')).toMatchObject([
      { kind: 'settled', outcome: { kind: 'retry', failure: { errorMessage: 'too long' } } },
    ])
  })
})

describe('a copy without a place', () => {
  it('is tried again, with growing pauses, before there is a result', async () => {
    const { handle, heard, pass } = setup({ handler: failing, answers: [nacked, nacked, confirmed] })
    handle()
    await pass(2)
    expect(heard).toMatchObject([
      'decided retry',
      'publish to /work.5s',
      'nacked, again in 100 ms',
      'publish to /work.5s',
      'nacked, again in 200 ms',
      'publish to /work.5s',
      'ack',
      { kind: 'settled', outcome: { kind: 'retry' } },
    ])
  })

  it('sends its delivery back before the broker runs out of patience', async () => {
    const { handle, heard, pass } = setup({ handler: failing, answers: [nacked] })
    handle()
    await pass(13)
    expect(heard.slice(-2)).toMatchObject(['requeue', { kind: 'settled', outcome: { kind: 'give-back' } }])
  })

  it.each(['closes', 'has lost its channel'] as const)(
    'is given up by a consumer that %s, and nothing counts as done',
    async (what) => {
      const { handle, heard, pass, settled, delivery, ending } = setup({
        handler: failing,
        answers: [nacked],
      })
      handle()
      await settled()
      if (what === 'closes') ending.abort()
      else delivery.isCurrent = false
      await pass(1)
      expect(heard.at(-1)).toMatchObject({ kind: 'stale', outcome: { kind: 'retry' }, isDone: false })
    },
  )
})

it('a failure without a way out counts as an attempt, though the broker never hears of it', () => {
  const { handle, run } = setup({ handler: failing, flow: plain })
  handle()
  expect(run.localFailures).toBe(1)
})
