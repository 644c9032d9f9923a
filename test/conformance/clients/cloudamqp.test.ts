import {
  AMQPClient,
  type AMQPMessage,
  AMQPSession,
  builtinCoders,
  builtinParsers,
} from '@cloudamqp/amqp-client'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { collect, describeOnBothBrokers } from './on-both-brokers.ts'

/** What the README of @cloudamqp/amqp-client shows, but for WebSockets, which RabbitMQ does not speak either. */
describeOnBothBrokers('@cloudamqp/amqp-client', (open) => {
  async function openSession(url?: string) {
    const session = await AMQPSession.connect(url ?? (await open()).url, {
      logger: null,
      reconnectInterval: 5,
    })
    onTestFinished(() => session.stop())
    return session
  }

  async function openChannel() {
    const { url } = await open()
    const connection = await new AMQPClient(url).connect()
    onTestFinished(() => connection.close())
    return { connection, channel: await connection.channel() }
  }

  test('a session publishes with confirms and subscribes with a callback or by iterating', async () => {
    const session = await openSession()
    const queue = await session.queue('my-queue')
    const events = await session.topicExchange('events')
    await queue.bind(events, 'events.user.*')
    await queue.publish('Hello World', { deliveryMode: 2 })
    const attempts: string[] = []
    const subscription = await queue.subscribe({ prefetch: 1 }, async (message) => {
      attempts.push(`${message.bodyString()} ${message.redelivered}`)
      if (attempts.length === 1) throw new Error('nacked and requeued')
    })
    await eventually(() => expect(attempts).toEqual(['Hello World false', 'Hello World true']))
    await subscription.cancel()

    await events.publish('user signed up', { routingKey: 'events.user.created' })
    await events.publish('nobody listens', { routingKey: 'events.other' })
    await queue.publish('the end')
    const seen: (string | null)[] = []
    for await (const message of await queue.subscribe()) {
      seen.push(message.bodyString())
      if (seen.length === 2) break
    }

    expect(seen).toEqual(['user signed up', 'the end'])
  })

  test('a session encodes and decodes bodies', async () => {
    const { url } = await open()
    const session = await AMQPSession.connect(url, {
      logger: null,
      parsers: builtinParsers,
      coders: builtinCoders,
      defaultContentType: 'application/json',
      defaultContentEncoding: 'gzip',
    })
    onTestFinished(() => session.stop())
    const queue = await session.queue('jobs')
    await queue.publish({ task: 'resize', id: 42 })

    const body = await collect<unknown>(1, (add) => queue.subscribe((message) => add(message.body)))

    expect(body).toEqual([{ task: 'resize', id: 42 }])
  })

  test('a session calls remote procedures', async () => {
    const session = await openSession()
    await session.rpcServer('my_rpc_queue', async (message) => `processed:${message.bodyString()}`)

    const reply = await session.rpcCall('my_rpc_queue', 'hello', { timeout: 5000 })
    const caller = await session.rpcClient()
    const replies = [await caller.call('my_rpc_queue', 'a'), await caller.call('my_rpc_queue', 'b')]
    await caller.close()

    expect([reply, ...replies].map((each) => each.bodyToString())).toEqual([
      ...['processed:hello', 'processed:a', 'processed:b'],
    ])
  })

  test('a session connects again after a cut, and its consumers go on', async () => {
    const proxy = await (await open()).throughProxy()
    const events: string[] = []
    const session = await AMQPSession.connect(proxy.url, {
      logger: null,
      reconnectInterval: 5,
      maxReconnectInterval: 20,
      maxRetries: 0,
      onconnect: () => events.push('connected'),
      ondisconnect: () => events.push('disconnected'),
    })
    onTestFinished(() => session.stop())
    const queue = await session.queue('my-queue', { durable: true })
    const bodies: (string | null)[] = []
    await queue.subscribe({ prefetch: 10 }, (message) => void bodies.push(message.bodyString()))

    proxy.cutAll()
    await eventually(() => expect(events).toEqual(['connected', 'disconnected', 'connected']))
    await eventually(() => queue.publish('after the cut'))

    await eventually(() => expect(bodies).toContain('after the cut'))
  })

  test('a channel consumes with a callback that cancels, and by iterating until it breaks', async () => {
    const { channel } = await openChannel()
    const { name } = await channel.queueDeclare('my-queue')
    await channel.confirmSelect()
    const seen: (string | null)[] = []

    const consumer = await channel.basicConsume(name, { noAck: false }, async (message) => {
      seen.push(message.bodyToString())
      await message.ack()
      await consumer.cancel()
    })
    await channel.basicPublish('', name, 'one', { deliveryMode: 2 })
    await consumer.wait()
    await channel.basicPublish('', name, 'two', { deliveryMode: 2 })
    for await (const message of (await channel.basicConsume(name, { noAck: false })).messages) {
      seen.push(message.bodyToString())
      await message.ack()
      break
    }

    expect(seen).toEqual(['one', 'two'])
    await eventually(async () => {
      expect(await channel.queueDeclare(name, { passive: true })).toMatchObject({ messageCount: 0 })
    })
  })

  test('a channel confirms, hears of returns, gets, rejects, recovers and sends an empty body', async () => {
    const { channel } = await openChannel()
    const returned: AMQPMessage[] = []
    channel.onReturn = (message) => void returned.push(message)
    await channel.confirmSelect()
    await channel.queueDeclare('q', { durable: true, autoDelete: false }, { 'x-max-priority': 9 })
    const tags = [
      await channel.basicPublish('', 'nowhere', 'lost', {}, true),
      await channel.basicPublish('', 'q', null, { priority: 1 }),
      await channel.basicPublish('', 'q', new Uint8Array([1, 2, 3]), { priority: 9 }),
    ]

    const first = await channel.basicGet('q', { noAck: false })
    await first!.reject(true)
    const again = await eventually(async () => (await channel.basicGet('q', { noAck: false })) ?? false)
    await channel.basicRecover(true)
    const last = await eventually(async () => (await channel.basicGet('q', { noAck: true })) ?? false)
    const empty = await channel.basicGet('q', { noAck: true })

    expect(tags).toEqual([1, 2, 3])
    expect(returned.map(({ replyCode, replyText }) => [replyCode, replyText])).toEqual([[312, 'NO_ROUTE']])
    expect([first, again, last].map((message) => [...message!.body!])).toEqual(Array(3).fill([1, 2, 3]))
    expect(again!.redelivered).toBe(true)
    expect(empty!.bodySize).toBe(0)
    expect(await channel.basicFlow(true)).toBe(true)
  })

  test('a channel manages exchanges, bindings and transactions', async () => {
    const { channel } = await openChannel()
    await channel.exchangeDeclare('from', 'headers', { durable: true })
    await channel.exchangeDeclare('to', 'fanout', { autoDelete: true })
    await channel.queueDeclare('ledger', { durable: true })
    await channel.exchangeBind('to', 'from', '', { 'x-match': 'all', kind: 'a' })
    await channel.queueBind('ledger', 'to', '')
    await channel.txSelect()

    await channel.basicPublish('from', '', 'rolled back', { headers: { kind: 'a' } })
    await channel.txRollback()
    await channel.basicPublish('from', '', 'another kind', { headers: { kind: 'b' } })
    await channel.basicPublish('from', '', 'committed', { headers: { kind: 'a' } })
    await channel.txCommit()

    expect((await channel.basicGet('ledger', { noAck: true }))?.bodyString()).toBe('committed')
    expect(await channel.queuePurge('ledger')).toMatchObject({ messageCount: 0 })
    await channel.queueUnbind('ledger', 'to', '')
    expect(await channel.queueDelete('ledger', { ifUnused: true, ifEmpty: true })).toMatchObject({
      messageCount: 0,
    })
  })

  test('a channel reads a stream from its start', async () => {
    const { channel } = await openChannel()
    await channel.confirmSelect()
    await channel.queueDeclare('log', { durable: true }, { 'x-queue-type': 'stream' })
    for (const body of ['one', 'two']) await channel.basicPublish('', 'log', body)
    await channel.basicQos(1)

    const read = collect<string | null>(2, (add) =>
      channel.basicConsume('log', { noAck: false, args: { 'x-stream-offset': 'first' } }, async (message) => {
        await message.ack()
        add(message.bodyString())
      }),
    )

    expect(await read).toEqual(['one', 'two'])
  })

  test('a channel is closed with the reason when the queue is not there', async () => {
    const { connection } = await openChannel()
    const channel = await connection.channel()

    await expect(channel.queueDeclare('nowhere', { passive: true })).rejects.toThrow(
      /NOT_FOUND - no queue 'nowhere'/,
    )
    expect(channel.closed).toBe(true)
  })
})
