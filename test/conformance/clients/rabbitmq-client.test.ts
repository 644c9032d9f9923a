import { once } from 'node:events'
import { Connection, type Consumer, ConsumerStatus } from 'rabbitmq-client'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { collect, describeOnBothBrokers } from './on-both-brokers.ts'

/** What the README of rabbitmq-client and the documentation of its options show. */
describeOnBothBrokers('rabbitmq-client', (open) => {
  async function setup() {
    const broker = await open()
    const client = connect(broker.url)
    return { broker, client }
  }

  function connect(url: string): Connection {
    const client = new Connection({ url, retryLow: 5, retryHigh: 20, connectionName: 'walks its README' })
    client.on('error', () => undefined)
    onTestFinished(() => client.unsafeDestroy())
    return client
  }

  test('the quick start: a consumer with its queue, exchange and binding, and a publisher with confirms', async () => {
    const { client } = await setup()
    const received = collect<unknown>(2, async (add) => {
      const subscription = client.createConsumer(
        {
          queue: 'user-events',
          queueOptions: { durable: true },
          qos: { prefetchCount: 2 },
          exchanges: [{ exchange: 'my-events', type: 'topic' }],
          queueBindings: [{ exchange: 'my-events', routingKey: 'users.*' }],
        },
        async ({ body, routingKey, contentType }) => add([routingKey, contentType, body]),
      )
      onTestFinished(() => subscription.close())
    })
    const publisher = client.createPublisher({
      confirm: true,
      maxAttempts: 2,
      exchanges: [{ exchange: 'my-events', type: 'topic' }],
      queues: [{ queue: 'user-events', durable: true }],
      queueBindings: [{ exchange: 'my-events', queue: 'user-events', routingKey: 'users.*' }],
    })

    await publisher.send({ exchange: 'my-events', routingKey: 'users.visit' }, { id: 1, name: 'Alan Turing' })
    await publisher.send('user-events', 'a text')

    expect(await received).toEqual([
      ['users.visit', 'application/json', { id: 1, name: 'Alan Turing' }],
      ['user-events', 'text/plain', 'a text'],
    ])
    await publisher.close()
  })

  test('acknowledges, requeues and drops by what the handler returns', async () => {
    const { client } = await setup()
    await client.queueDeclare({ queue: 'dead', durable: true })
    const outcomes = [ConsumerStatus.REQUEUE, ConsumerStatus.DROP, undefined]
    const seen: string[] = []
    const consumer = client.createConsumer(
      {
        queue: 'work',
        concurrency: 1,
        qos: { prefetchCount: 1 },
        queueOptions: {
          durable: true,
          arguments: { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'dead' },
        },
      },
      ({ body, redelivered }) => {
        seen.push(`${String(body)} ${redelivered}`)
        return outcomes.shift()
      },
    )
    await once(consumer, 'ready')
    const publisher = client.createPublisher({ confirm: true })

    for (const body of ['one', 'two']) await publisher.send('work', body)

    await eventually(() => expect(seen).toEqual(['one false', 'one true', 'two false']))
    const dead = await eventually(
      async () => (await client.basicGet({ queue: 'dead', noAck: true })) ?? false,
    )
    expect(dead).toMatchObject({ body: 'one', headers: { 'x-first-death-queue': 'work' } })
    await consumer.close()
    expect(consumer.stats).toMatchObject({ acknowledged: 1, dropped: 1, requeued: 1 })
    await publisher.close()
  })

  test('throws away or requeues what its handler throws on, as its options say', async () => {
    const { client } = await setup()
    const seen: string[] = []
    for (const requeue of [true, false]) {
      const queue = requeue ? 'tries-again' : 'gives-up'
      const consumer = client.createConsumer({ queue, requeue, queueOptions: { durable: true } }, () => {
        seen.push(queue)
        if (seen.filter((name) => name === queue).length === 1) throw new Error('the first time')
      })
      consumer.on('error', () => undefined)
      await once(consumer, 'ready')
      onTestFinished(() => consumer.close())
    }
    const publisher = client.createPublisher({ confirm: true })

    await publisher.send('gives-up', 'x')
    await publisher.send('tries-again', 'x')

    await eventually(() => expect(seen.sort()).toEqual(['gives-up', 'tries-again', 'tries-again']))
    await publisher.close()
  })

  test('manages queues and exchanges by hand, and takes a raw channel', async () => {
    const { client } = await setup()
    await client.queueDeclare({ queue: 'my-queue', exclusive: true })
    await client.exchangeDeclare({ exchange: 'my-exchange', type: 'topic', autoDelete: true })
    await client.exchangeDeclare({ exchange: 'source', type: 'direct' })
    await client.queueBind({ queue: 'my-queue', exchange: 'my-exchange', routingKey: '#' })
    await client.exchangeBind({ source: 'source', destination: 'my-exchange', routingKey: 'k' })
    const channel = await client.acquire()
    await channel.confirmSelect()
    await channel.basicPublish(
      { exchange: 'source', routingKey: 'k', durable: true, messageId: 'm' },
      'hello',
    )

    const { messageCount } = await client.queueDeclare({ queue: 'my-queue', passive: true })
    const message = await channel.basicGet('my-queue')

    expect(messageCount).toBe(1)
    expect(message).toMatchObject({ body: 'hello', durable: true, messageId: 'm', messageCount: 0 })
    channel.basicAck({ deliveryTag: message!.deliveryTag })
    await channel.close()
    await client.queueUnbind({ queue: 'my-queue', exchange: 'my-exchange', routingKey: '#' })
    expect(await client.queueDelete('my-queue')).toMatchObject({ messageCount: 0 })
    await expect(client.queueDeclare({ queue: 'my-queue', passive: true })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  test('calls another service and is answered, many times at once', async () => {
    const { client } = await setup()
    const server = client.createConsumer({ queue: 'my-rpc-queue' }, async (request, reply) => {
      await reply(`pong ${String(request.body)}`)
    })
    await once(server, 'ready')
    const caller = client.createRPCClient({ confirm: true, timeout: 20_000 })

    const answers = await Promise.all(['a', 'b', 'c'].map((body) => caller.send('my-rpc-queue', body)))

    expect(answers.map(({ body }) => body as string)).toEqual(['pong a', 'pong b', 'pong c'])
    await caller.close()
    await server.close()
  })

  test('is told of what came back, and why a channel was closed', async () => {
    const { client } = await setup()
    const returned: unknown[] = []
    const publisher = client.createPublisher({ confirm: true })
    publisher.on('basic.return', ({ replyCode, replyText, routingKey }) =>
      returned.push([replyCode, replyText, routingKey]),
    )

    await publisher.send({ routingKey: 'nowhere', mandatory: true }, 'x')
    const refusal = publisher.send({ exchange: 'no-such-exchange', routingKey: 'k' }, 'x')

    await expect(refusal).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(returned).toEqual([[312, 'NO_ROUTE', 'nowhere']])
    await publisher.close()
  })

  test('consumes again when its queue was deleted and when its connection was cut', async () => {
    const { broker } = await setup()
    const proxy = await broker.throughProxy()
    const client = connect(proxy.url)
    const bodies: string[] = []
    const consumer = client.createConsumer(
      { queue: 'tenacious', queueOptions: { durable: true } },
      ({ body }) => void bodies.push(String(body)),
    )
    consumer.on('error', () => undefined)
    await once(consumer, 'ready')
    const publisher = client.createPublisher({ confirm: true, maxAttempts: 3 })

    const readyAfterDelete = readyAgain(consumer)
    await client.queueDelete('tenacious')
    await readyAfterDelete
    await publisher.send('tenacious', 'after the queue was deleted')
    await eventually(() => expect(bodies).toHaveLength(1))
    const readyAfterCut = readyAgain(consumer)
    proxy.cutAll()
    await readyAfterCut
    await publisher.send('tenacious', 'after the cut')

    await eventually(() => expect(bodies).toEqual(['after the queue was deleted', 'after the cut']))
    await publisher.close()
    await consumer.close()
  })

  test('starts a lazy consumer when it is told to, on a queue that the broker names', async () => {
    const { client } = await setup()
    const received = collect<string>(1, async (add) => {
      const consumer = client.createConsumer(
        {
          lazy: true,
          queueOptions: { exclusive: true },
          exchanges: [{ exchange: 'news', type: 'fanout' }],
          queueBindings: [{ exchange: 'news' }],
        },
        ({ body }) => add(String(body)),
      )
      consumer.start()
      await once(consumer, 'ready')
      expect(consumer.queue).toMatch(/^amq\.gen-/)
      const publisher = client.createPublisher({ confirm: true })
      await publisher.send({ exchange: 'news' }, 'extra')
      await publisher.close()
    })

    expect(await received).toEqual(['extra'])
  })
})

/** `once` would take the error before it for a failure. */
function readyAgain(consumer: Consumer): Promise<void> {
  return new Promise((resolve) => {
    consumer.once('ready', resolve)
  })
}
