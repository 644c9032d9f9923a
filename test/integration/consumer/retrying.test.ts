import { type ConfirmChannel, type ConsumeMessage, connect as connectAmqplib } from 'amqplib'
import type { ConfirmChannel as CallbackChannel } from 'amqplib/callback_api'
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest'
import {
  type AmqplibChannel,
  type AmqplibMessage,
  connect,
  defer,
  defineTopology,
  type RetryingContext,
  type RetryingEvent,
  type RetryingOptions,
  reject,
  retrying,
  typed,
} from '../../../packages/warrenmq/src/index.ts'
import type { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { encodeProperties, type PropertiesInput } from '../../../packages/warrenmq/src/wire/properties.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()
let names = 0
const noText = 'x'.repeat(200)

/** A queue as amqplib users have it, its wait queues and DLQ beside it, and a wrapped callback on it. */
async function setUp({
  maxAttempts = 3,
  type = 'quorum',
}: {
  maxAttempts?: number
  type?: 'quorum' | 'classic'
} = {}) {
  names += 1
  const queue = `retrying.${names}`
  const topology = defineTopology({
    exchanges: { [`${queue}.events`]: { type: 'topic' } },
    queues: {
      [queue]: {
        type,
        bind: [{ exchange: `${queue}.events`, key: 'order.*' }],
        retry: { delays: ['50ms'], maxAttempts },
      },
    },
  })
  const warren = await connect(broker.url, { topology })
  onTestFinished(() => warren.close({ deadline: 0 }))
  await warren.apply()
  const connection = await connectAmqplib(broker.url)
  onTestFinished(() => connection.close().catch(() => {}))
  const channel = await connection.createConfirmChannel()
  channel.on('error', () => {})
  const events: RetryingEvent[] = []
  const wrap = (
    handler: (
      message: ConsumeMessage,
      context: RetryingContext,
    ) => ReturnType<typeof reject> | undefined | Promise<void>,
    options: Partial<RetryingOptions> = {},
  ) =>
    retrying(
      channel,
      { topology, queue, onEvent: (event) => events.push(event), ...options },
      handler as (message: ConsumeMessage, context: RetryingContext) => void,
    )
  const publish = (body: string, options: object = {}) =>
    channel.publish(`${queue}.events`, 'order.placed', Buffer.from(body), { persistent: true, ...options })
  const depth = async (name: string) => (await channel.checkQueue(name)).messageCount
  const settled = () => events.flatMap((event) => (event.kind === 'settled' ? [event.outcome.kind] : []))
  return {
    queue,
    dlq: `${queue}.dlq`,
    topology,
    warren,
    connection,
    channel,
    events,
    wrap,
    publish,
    depth,
    settled,
  }
}

const take = async (channel: ConfirmChannel, queue: string) => {
  const message = await channel.get(queue, { noAck: true })
  if (!message) throw new Error(`${queue} is empty`)
  return message
}

describe('a callback of amqplib that is wrapped', () => {
  it.each(['quorum', 'classic'] as const)(
    'is retried with its delay and counted, and parked after its last attempt, on a %s queue',
    async (type) => {
      const { queue, dlq, channel, wrap, publish, depth, settled } = await setUp({ type })
      const seen: unknown[] = []
      const onMessage = wrap(async ({ fields, properties }, { attempt, message }) => {
        seen.push([attempt, fields.routingKey, fields.exchange, message.body, properties.headers?.total])
        throw new TypeError('no stock')
      })
      await channel.consume(queue, onMessage)

      publish('{"id":42}', { messageId: 'm1', headers: { total: { '!': 'int64', value: 5 } } })
      await eventually(async () => expect(await depth(dlq)).toBe(1))
      await onMessage.idle()

      expect(seen).toEqual(
        [1, 2, 3].map((attempt) => [attempt, 'order.placed', `${queue}.events`, { id: 42 }, 5]),
      )
      expect(settled()).toEqual(['retry', 'retry', 'dead-letter'])
      expect([await depth(queue), await depth(`${queue}.retry.50ms`)]).toEqual([0, 0])
      const { properties, content } = await take(channel, dlq)
      expect(String(content)).toBe('{"id":42}')
      expect(properties).toMatchObject({ messageId: 'm1', deliveryMode: 2 })
      expect(properties.headers).toMatchObject({
        total: 5,
        'warren-reason': 'attempts-exhausted',
        'warren-error-type': 'TypeError',
        'x-final-error': 'no stock',
        'x-original-queue': queue,
        'x-original-routing-key': 'order.placed',
      })
    },
  )

  it('acknowledges when it returns, parks what it rejects, and waits where it defers', async () => {
    const { queue, dlq, channel, wrap, publish, depth, settled } = await setUp()
    const done: string[] = []
    const onMessage = wrap((message, { attempt }) => {
      const text = String(message.content)
      if (text === 'never') return reject('not an order')
      if (text === 'later' && !done.includes('later')) {
        done.push('later')
        return defer(30)
      }
      done.push(`${text} ${attempt}`)
      return undefined
    })
    await channel.consume(queue, onMessage)

    for (const body of ['now', 'never', 'later']) publish(body, { contentType: 'text/plain' })
    await eventually(() => expect(settled()).toHaveLength(3))

    expect([...settled()].sort()).toEqual(['acknowledge', 'acknowledge', 'dead-letter'])
    expect(done).toContain('later 1')
    expect([await depth(queue), await depth(dlq)]).toEqual([0, 1])
  })

  it('keeps a message whose wait queue is missing, and moves it on when the queue is back', async () => {
    const { queue, warren, channel, wrap, publish, depth, events, settled } = await setUp()
    await channel.deleteQueue(`${queue}.retry.50ms`)
    const attempts: number[] = []
    const onMessage = wrap(async (_, { attempt }) => {
      attempts.push(attempt)
      if (attempt === 1) throw new Error('not now')
    })
    await channel.consume(queue, onMessage)

    publish('x')
    await eventually(() => expect(events.map(({ kind }) => kind)).toContain('unplaced'))
    expect(settled()).toEqual([])
    expect(events[0]).toMatchObject({ problem: `there is no queue "${queue}.retry.50ms"` })
    await warren.apply()
    await eventually(() => expect(settled()).toEqual(['retry', 'acknowledge']))

    expect(attempts).toEqual([1, 2])
    expect(await depth(queue)).toBe(0)
  })

  it('loses nothing when its channel closes while it runs', async () => {
    const { queue, connection, channel, wrap, publish, events } = await setUp()
    let fail!: () => void
    const started = new Promise<AbortSignal>((resolve) => {
      void channel.consume(
        queue,
        wrap((_, { signal }) => {
          resolve(signal)
          return new Promise<void>((_done, failed) => {
            fail = () => failed(new Error('too late'))
          })
        }),
      )
    })

    publish('x', { messageId: 'm1' })
    await channel.waitForConfirms()
    const signal = await started
    await channel.close()
    expect(signal.aborted).toBe(true)
    fail()
    await eventually(() => expect(events.map(({ kind }) => kind)).toEqual(['stale']))

    const next = await connection.createConfirmChannel()
    await eventually(async () => expect((await take(next, queue)).properties.messageId).toBe('m1'))
  })

  it('comes to its end without giving back what it has handled', async () => {
    const { queue, dlq, connection, channel, wrap, publish } = await setUp({ maxAttempts: 1 })
    await channel.prefetch(20)
    let release!: () => void
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const bodies: string[] = []
    const onMessage = wrap(async ({ content }) => {
      bodies.push(String(content))
      await released
      if (Number(content) % 2 === 0) throw new Error('no stock')
    })
    const { consumerTag } = await channel.consume(queue, onMessage)
    for (let body = 1; body <= 20; body += 1) publish(String(body))
    await eventually(() => expect(bodies).toHaveLength(20))

    release()
    await channel.cancel(consumerTag)
    await onMessage.idle()
    await channel.close() // after the last acks; connection.close() alone overtakes them
    await connection.close()

    const after = await connectAmqplib(broker.url)
    onTestFinished(() => after.close())
    const next = await after.createConfirmChannel()
    expect((await next.checkQueue(queue)).messageCount).toBe(0)
    expect((await next.checkQueue(dlq)).messageCount).toBe(10)
  })

  it('may have many messages in hand, and Node.js suspects no leak', async () => {
    const { queue, channel, wrap, publish } = await setUp()
    const warnings: Error[] = []
    const keep = (warning: Error) => {
      warnings.push(warning)
    }
    process.on('warning', keep)
    onTestFinished(() => {
      process.off('warning', keep)
    })
    await channel.prefetch(20)
    const ends: (() => void)[] = []
    const onMessage = wrap(() => new Promise<void>((end) => ends.push(end)))
    await channel.consume(queue, onMessage)
    for (let body = 1; body <= 20; body += 1) publish(String(body), { contentType: 'text/plain' })
    await eventually(() => expect(ends).toHaveLength(20))

    for (const end of ends) end()
    await onMessage.idle()

    expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
  })

  it('that still acknowledges is stopped before its second ack closes the channel', async () => {
    const { queue, dlq, channel, wrap, publish, depth } = await setUp()
    await channel.consume(
      queue,
      wrap(async (message) => channel.ack(message)),
    )

    publish('x')
    await eventually(async () => expect(await depth(dlq)).toBe(1))

    const { properties } = await take(channel, dlq)
    expect(properties.headers!['x-final-error']).toMatch(/Take channel.ack, nack and reject out of it/)
  })

  it('shares its queue with a consumer of Warren and one of amqplib alone', async () => {
    const { queue, dlq, warren, connection, channel, wrap, publish, depth, events } = await setUp()
    const handled = new Set<string>()
    const work = async (id: string, attempt: number) => {
      if (id.startsWith('fails') && attempt < 2) throw new Error('not now')
      handled.add(id)
    }
    await channel.prefetch(1)
    await channel.consume(
      queue,
      wrap(async ({ properties }, { attempt }) => work(properties.messageId, attempt)),
    )
    await warren.consume(queue, async ({ id }, { attempt }) => work(id!, attempt), {
      concurrency: 1,
      prefetch: 1,
    })
    const old = await connection.createChannel()
    await old.prefetch(1)
    await old.consume(queue, (message) => {
      if (!message) return
      handled.add(message.properties.messageId) // it does not know of attempts, and takes what comes
      old.ack(message)
    })

    for (let at = 0; at < 30; at += 1) publish('x', { messageId: `works ${at}` })
    for (let at = 0; at < 6; at += 1) publish('x', { messageId: `fails ${at}` })
    await eventually(() => expect(handled.size).toBe(36))
    await eventually(async () => expect([await depth(queue), await depth(dlq)]).toEqual([0, 0]))

    expect(events.filter(({ kind }) => kind === 'settled').length).toBeGreaterThan(0)
  })
})

describe('a message that amqplib reads and cannot write', () => {
  const late = 2n ** 64n - 1n
  it.each<[string, PropertiesInput]>([
    [
      'a header with a time beyond all years',
      { headers: toFieldTable({ late: typed({ type: 'T', value: late }) }) },
    ],
    [
      'a header that looks like a type of amqplib',
      { headers: toFieldTable({ odd: { '!': 'shape', value: 1 } }) },
    ],
    ['a timestamp beyond all years', { timestamp: late }],
    ['an id whose bytes are no text', { messageId: noText }],
  ])('is parked with its body, and the next one is handled: %s', async (_, properties) => {
    const { queue, dlq, warren, connection, channel, wrap, depth } = await setUp()
    const done: unknown[] = []
    const onMessage = wrap(async ({ properties: { type } }) => {
      if (type === 'bad') throw new Error('not now')
      done.push(type)
    })
    await channel.prefetch(1)
    await channel.consume(queue, onMessage)

    await publishRaw(warren.publisher(), queue, { ...properties, type: 'bad' })
    await publishRaw(warren.publisher(), queue, { type: 'good' })
    await eventually(async () => expect([done, await depth(dlq)]).toEqual([['good'], 1]))

    expect(await depth(queue)).toBe(0)
    const { content, properties: kept } = await take(await connection.createConfirmChannel(), dlq)
    expect(String(content)).toBe('body')
    expect(kept.headers).toMatchObject({ 'x-original-queue': queue })
    if (properties.headers)
      expect(kept.headers).toMatchObject({ [kept.headers!.odd ? 'odd' : 'late']: expect.any(String) })
  })
})

/** With any properties, also those that no client of today would write. */
async function publishRaw(publisher: Publisher, key: string, input: PropertiesInput): Promise<void> {
  const properties = encodeProperties({ ...input, deliveryMode: 2 })
  const at = properties.indexOf(noText)
  if (at !== -1) properties.fill(0xff, at, at + noText.length)
  const message = { exchange: '', key, properties, body: Buffer.from('body'), messageId: undefined }
  const { kind } = await new Promise<{ kind: string }>((settle) => publisher.publishEncoded(message, settle))
  expect(kind).toBe('confirmed')
}

it('goes on when what listens to its events throws, and the throw is not swallowed', async () => {
  const { queue, dlq, warren, channel, wrap, publish, depth } = await setUp()
  await channel.deleteQueue(`${queue}.retry.50ms`)
  const onMessage = wrap(
    async () => {
      throw new Error('not now')
    },
    {
      onEvent: ({ kind }) => {
        throw new Error(`a broken log line: ${kind}`)
      },
    },
  )

  const uncaught = await uncaughtDuring(async (thrown) => {
    await channel.consume(queue, onMessage)
    publish('x')
    await eventually(() => expect(thrown.map(String)).toContain('Error: a broken log line: unplaced'))
    await warren.apply()
    await eventually(async () => expect(await depth(dlq)).toBe(1))
    await onMessage.idle()
  })

  expect(new Set(uncaught.map(String))).toContain('Error: a broken log line: settled')
})

/** The test runner listens too and would call the run failed, so it is set aside meanwhile. */
async function uncaughtDuring(
  run: (thrown: readonly unknown[]) => Promise<void>,
): Promise<readonly unknown[]> {
  const others = process.listeners('uncaughtException')
  const thrown: unknown[] = []
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => thrown.push(error))
  try {
    await run(thrown)
    return thrown
  } finally {
    process.removeAllListeners('uncaughtException')
    for (const listener of others) process.on('uncaughtException', listener)
  }
}

describe('retrying refuses', () => {
  it('a channel without confirms, and says why', async () => {
    const { connection, topology, queue } = await setUp()
    const plain = (await connection.createChannel()) as ConfirmChannel
    expect(() => retrying(plain, { topology, queue }, () => {})).toThrow(/without confirms it could be lost/)
  })

  it('a queue that the topology does not have, and an option that it does not know', async () => {
    const { channel, topology } = await setUp()
    expect(() => retrying(channel, { topology, queue: 'other' }, () => {})).toThrow('no queue "other"')
    const misspelt = { topology, queue: 'other', ontEvent: () => {} }
    expect(() => retrying(channel, misspelt, () => {})).toThrow('did you mean "onEvent"?')
  })
})

it('the message has the type that the channel gives to its callbacks', () => {
  expect(types).toBeTypeOf('function') // it is not run: that it compiles is the test
})

function types(channel: ConfirmChannel, callbacks: CallbackChannel, any: AmqplibChannel) {
  const policy = { topology: defineTopology({ queues: { orders: {} } }), queue: 'orders' } as const
  retrying(channel, policy, (message) => expectTypeOf(message).toEqualTypeOf<ConsumeMessage>() as never)
  retrying(callbacks, policy, (message) => expectTypeOf(message).toEqualTypeOf<ConsumeMessage>() as never)
  retrying(any, policy, (message) => expectTypeOf(message).toEqualTypeOf<AmqplibMessage>() as never)
  const callback = retrying(channel, policy, async ({ properties }: ConsumeMessage, { message }) => {
    expectTypeOf(properties.headers?.['x-tenant']).toBeAny()
    expectTypeOf(message.body).toBeUnknown()
  })
  void channel.consume('orders', callback)
  // @ts-expect-error the topology has no such queue
  retrying(channel, { ...policy, queue: 'other' }, () => {})
}
