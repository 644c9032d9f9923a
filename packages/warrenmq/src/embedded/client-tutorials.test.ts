import { once } from 'node:events'
import { AMQPClient, AMQPSession } from '@cloudamqp/amqp-client'
import amqplib, { type Channel, type ChannelModel } from 'amqplib'
import { Connection } from 'rabbitmq-client'
// @ts-expect-error rascal ships no types
import rascal from 'rascal'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type EmbeddedBroker, startEmbeddedBroker } from './start-embedded-broker.ts'

async function setup(clock: 'real' | 'virtual' = 'real'): Promise<EmbeddedBroker> {
  const broker = await startEmbeddedBroker({ clock })
  onTestFinished(broker.stop)
  return broker
}

async function openAmqplib(broker: EmbeddedBroker): Promise<{ connection: ChannelModel; channel: Channel }> {
  const connection = await amqplib.connect(broker.url)
  return { connection, channel: await connection.createChannel() }
}

/** Resolves with what `start` collects as soon as there are so many. */
function collect<Item>(count: number, start: (add: (item: Item) => void) => unknown): Promise<Item[]> {
  return new Promise((resolve) => {
    const items: Item[] = []
    start((item) => {
      items.push(item)
      if (items.length === count) resolve(items)
    })
  })
}

describe('the tutorials of RabbitMQ, with amqplib', () => {
  test('work queues: two workers with a prefetch of one share the tasks', async () => {
    const broker = await setup()
    const { connection, channel } = await openAmqplib(broker)
    const other = await connection.createChannel()
    await channel.assertQueue('task_queue', { durable: true })
    const done = collect<string>(4, (add) => {
      for (const worker of [channel, other]) {
        void worker.prefetch(1)
        void worker.consume('task_queue', (message) => {
          add(`${worker === channel ? 'first' : 'second'} ${String(message!.content)}`)
          worker.ack(message!)
        })
      }
    })
    await broker.settled()

    for (const task of ['a', 'b', 'c', 'd'])
      channel.sendToQueue('task_queue', Buffer.from(task), { persistent: true })

    const workers = (await done).map((line) => line.split(' ')[0])
    expect(workers.filter((name) => name === 'first')).toHaveLength(2)
    expect(workers.filter((name) => name === 'second')).toHaveLength(2)
    await connection.close()
  })

  test('publish and subscribe: every subscriber has a queue of its own, and it goes with its connection', async () => {
    const broker = await setup()
    const { connection, channel } = await openAmqplib(broker)
    await channel.assertExchange('logs', 'fanout', { durable: false })
    const { queue: first } = await channel.assertQueue('', { exclusive: true })
    const { queue: second } = await channel.assertQueue('', { exclusive: true })
    for (const queue of [first, second]) await channel.bindQueue(queue, 'logs', '')
    const heard = collect<string>(2, (add) => {
      for (const queue of [first, second]) {
        void channel.consume(queue, (message) => add(String(message!.content)), { noAck: true })
      }
    })

    channel.publish('logs', '', Buffer.from('hello'))

    expect(await heard).toEqual(['hello', 'hello'])
    expect(first).toMatch(/^amq\.gen-/)
    await connection.close()
    await broker.settled()
    expect(broker.inspect(first)).toBeUndefined()
  })

  test('routing and topics: only what the key matches comes through', async () => {
    const broker = await setup()
    const { connection, channel } = await openAmqplib(broker)
    await channel.assertExchange('direct_logs', 'direct', { durable: false })
    await channel.assertExchange('topic_logs', 'topic', { durable: false })
    const { queue } = await channel.assertQueue('', { exclusive: true })
    await channel.bindQueue(queue, 'direct_logs', 'error')
    await channel.bindQueue(queue, 'topic_logs', 'kern.*')
    await channel.bindQueue(queue, 'topic_logs', '#.critical')
    const heard = collect<string>(3, (add) => {
      void channel.consume(queue, (message) => add(message!.fields.routingKey), { noAck: true })
    })

    for (const key of ['info', 'error']) channel.publish('direct_logs', key, Buffer.from('x'))
    for (const key of ['kern.info', 'auth.info', 'auth.door.critical']) {
      channel.publish('topic_logs', key, Buffer.from('x'))
    }

    expect(await heard).toEqual(['error', 'kern.info', 'auth.door.critical'])
    await connection.close()
  })

  test('a remote call: the answer comes to the queue it was asked for, with its correlation id', async () => {
    const broker = await setup()
    const { connection, channel } = await openAmqplib(broker)
    await channel.assertQueue('rpc_queue', { durable: false })
    await channel.consume('rpc_queue', (message) => {
      const { replyTo, correlationId } = message!.properties
      const answer = Buffer.from(String(Number(message!.content) * 2))
      channel.sendToQueue(replyTo as string, answer, { correlationId: correlationId as string })
      channel.ack(message!)
    })
    const { queue: replyTo } = await channel.assertQueue('', { exclusive: true })
    const answered = collect<string>(1, (add) => {
      void channel.consume(
        replyTo,
        (message) => add(`${message!.properties.correlationId as string}: ${String(message!.content)}`),
        { noAck: true },
      )
    })

    channel.sendToQueue('rpc_queue', Buffer.from('21'), { correlationId: 'call-1', replyTo })

    expect(await answered).toEqual(['call-1: 42'])
    await connection.close()
  })

  test('a message that nobody takes comes back, before its confirm', async () => {
    const broker = await setup()
    const connection = await amqplib.connect(broker.url)
    const channel = await connection.createConfirmChannel()
    const told: string[] = []
    channel.on('return', (message: { fields: { replyText: string } }) => told.push(message.fields.replyText))

    channel.publish('', 'nowhere', Buffer.from('x'), { mandatory: true }, () => told.push('confirmed'))
    await channel.waitForConfirms()

    expect(told).toEqual(['NO_ROUTE', 'confirmed'])
    await connection.close()
  })
})

describe('rascal', () => {
  interface Service {
    on(event: 'error', listener: () => void): void
    subscribe(name: string): Promise<NodeJS.EventEmitter>
    publish(name: string, body: object): Promise<NodeJS.EventEmitter>
    shutdown(): Promise<void>
    nuke(): Promise<void>
  }
  type Settle = (error?: Error, recovery?: object | readonly object[]) => void

  /** The vhost of rascal's own documentation: a service queue, a delay queue that leads back, and a dead-letter queue. */
  function config(url: string): object {
    const toDelay = { 'x-message-ttl': 60_000, 'x-dead-letter-exchange': 'retry' }
    return {
      vhosts: {
        '/': {
          connection: { url },
          exchanges: ['service', 'delay', 'retry', 'dead_letters'],
          queues: {
            'save:user': {
              options: {
                arguments: { 'x-dead-letter-exchange': 'dead_letters', 'x-dead-letter-routing-key': 'dead' },
              },
            },
            'delay:1m': { options: { arguments: toDelay } },
            'dead:letters': {},
          },
          bindings: [
            'service[user.saved] -> save:user',
            'delay[delay.1m] -> delay:1m',
            'retry[delay.1m] -> save:user',
            'dead_letters[dead] -> dead:letters',
          ],
          publications: {
            save_user: { exchange: 'service', routingKey: 'user.saved', confirm: true },
            retry_in_1m: { exchange: 'delay', options: { CC: ['delay.1m'] } },
          },
          subscriptions: { save_user: { queue: 'save:user', contentType: 'application/json', prefetch: 1 } },
        },
      },
      recovery: {},
    }
  }

  async function startService(broker: EmbeddedBroker): Promise<Service> {
    const service: Service = await rascal.BrokerAsPromised.create(
      rascal.withDefaultConfig(config(broker.url)),
    )
    service.on('error', () => undefined)
    return service
  }

  test('forwards what failed to a delay queue, gets it back after the delay, and dead-letters it in the end', async () => {
    const broker = await setup('virtual')
    const service = await startService(broker)
    const attempts: number[] = []
    const subscription = await service.subscribe('save_user')
    subscription.on('message', (_message: unknown, _content: unknown, settle: Settle) => {
      attempts.push(attempts.length + 1)
      settle(new Error('not yet'), [
        { strategy: 'forward', publication: 'retry_in_1m', options: { routingKey: 'delay.1m' }, attempts: 2 },
        { strategy: 'nack' },
      ])
    })
    await once(await service.publish('save_user', { id: 1 }), 'success')

    for (const expected of [1, 2, 3]) {
      await expect.poll(() => attempts.length).toBe(expected)
      await broker.settled()
      await broker.clock.advance('1m')
    }

    await expect.poll(() => broker.inspect('dead:letters')?.counts.ready).toBe(1)
    expect(attempts).toEqual([1, 2, 3])
    expect(broker.inspect('save:user')?.counts).toMatchObject({ ready: 0, unacknowledged: 0 })
    expect(broker.inspect('delay:1m')?.counts.ready).toBe(0)
    await service.shutdown()
  })

  test('takes its whole topology away again', async () => {
    const broker = await setup()
    const service = await startService(broker)
    const before = broker.inspect('save:user')

    await service.nuke()

    expect(before).toBeDefined()
    expect(broker.inspect('save:user')).toBeUndefined()
    await service.shutdown()
  })
})

test('rabbitmq-client declares what it needs, retries a publish and gets messages by hand', async () => {
  const broker = await setup()
  const client = new Connection({ url: broker.url, connectionName: 'by hand' })
  await client.queueDeclare({ queue: 'user-events', durable: true })
  await client.exchangeDeclare({ exchange: 'my-events', type: 'topic' })
  await client.queueBind({ exchange: 'my-events', queue: 'user-events', routingKey: 'users.*' })
  const publisher = client.createPublisher({ confirm: true, maxAttempts: 2 })
  broker.faults.changeConfirms({ kind: 'nack' })

  await publisher.send({ exchange: 'my-events', routingKey: 'users.visit' }, { id: 1, name: 'Alan Turing' })
  const first = await client.basicGet('user-events')
  const { messageCount } = await client.queueDeclare({ queue: 'user-events', passive: true })

  expect(first?.body).toEqual({ id: 1, name: 'Alan Turing' })
  expect(messageCount).toBe(1) // the attempt that was refused had been routed all the same
  await publisher.close()
  await client.close()
})

describe('@cloudamqp/amqp-client', () => {
  test('publishes and subscribes in a session, and is settled though it answers every heartbeat with another', async () => {
    const broker = await setup()
    const session = await AMQPSession.connect(broker.url)
    const queue = await session.queue('my-queue', { durable: true })
    const heard = collect<string>(2, (add) => {
      void queue.subscribe({ prefetch: 10 }, async (message) => add(message.bodyString()!))
    })

    for (const body of ['one', 'two']) await queue.publish(body, { deliveryMode: 2 })
    await broker.settled()

    expect(await heard).toEqual(['one', 'two'])
    expect(broker.inspect('my-queue')?.counts).toMatchObject({ ready: 0, unacknowledged: 0 })
    await session.stop()
  })

  test('rolls a transaction back and commits one', async () => {
    const broker = await setup()
    const connection = await new AMQPClient(broker.url).connect()
    const channel = await connection.channel()
    await channel.queueDeclare('ledger', { durable: true })
    await channel.txSelect()

    await channel.basicPublish('', 'ledger', 'rolled back')
    await channel.txRollback()
    await channel.basicPublish('', 'ledger', 'committed')
    await channel.txCommit()

    expect(broker.inspect('ledger')?.messages.map(({ body }) => String(body))).toEqual(['committed'])
    await connection.close()
  })

  test('reads a stream from its start', async () => {
    const broker = await setup()
    const connection = await new AMQPClient(broker.url).connect()
    const channel = await connection.channel()
    await channel.confirmSelect()
    await channel.queueDeclare('log', { durable: true }, { 'x-queue-type': 'stream' })
    for (const body of ['one', 'two']) await channel.basicPublish('', 'log', body)
    await channel.basicQos(1)

    const read = collect<string>(2, (add) => {
      const start = { noAck: false, args: { 'x-stream-offset': 'first' } }
      void channel.basicConsume('log', start, async (message) => {
        await message.ack()
        add(message.bodyString()!)
      })
    })

    expect(await read).toEqual(['one', 'two'])
    await connection.close()
  })
})
