import { once } from 'node:events'
import { AMQPClient } from '@cloudamqp/amqp-client'
import amqplib from 'amqplib'
import { Connection } from 'rabbitmq-client'
// @ts-expect-error rascal ships no types
import rascal from 'rascal'
import { afterEach, describe, expect, test } from 'vitest'
import type { ProfileName } from './model/profile.ts'
import { type EmbeddedBroker, startEmbeddedBroker } from './start-embedded-broker.ts'

/** As much of rascal as is used here. */
interface RascalBroker {
  on(event: 'error', listener: () => void): void
  subscribe(name: string): Promise<{
    on(
      event: 'message',
      listener: (
        message: unknown,
        content: { id: number },
        ackOrNack: (error?: Error, recovery?: object) => void,
      ) => void,
    ): void
  }>
  publish(name: string, body: object): Promise<NodeJS.EventEmitter>
  shutdown(): Promise<void>
}

const running: EmbeddedBroker[] = []
afterEach(async () => {
  for (const broker of running.splice(0)) await broker.stop()
})

async function setup(profile: ProfileName = '4.3'): Promise<EmbeddedBroker> {
  const broker = await startEmbeddedBroker({ profile, clock: 'virtual' })
  running.push(broker)
  return broker
}

describe.each(['3.10', '4.0', '4.3'] as const)('clients on the profile %s', (profile) => {
  test('amqplib publishes with a confirm, consumes, acknowledges and dead-letters after a TTL', async () => {
    const broker = await setup(profile)
    const connection = await amqplib.connect(broker.url)
    const channel = await connection.createConfirmChannel()
    await channel.assertExchange('events', 'topic')
    await channel.assertQueue('work', { arguments: { 'x-queue-type': 'quorum' } })
    await channel.assertQueue('wait', {
      arguments: {
        'x-queue-type': 'quorum',
        'x-message-ttl': 1_800_000,
        'x-dead-letter-exchange': '',
        'x-dead-letter-routing-key': 'work',
      },
    })
    await channel.bindQueue('work', 'events', 'order.*')
    channel.publish('events', 'order.placed', Buffer.from('one'), { persistent: true })
    await channel.waitForConfirms()

    const seen: string[] = []
    await channel.consume('work', (message) => {
      seen.push(message!.content.toString())
      if (seen.length === 1) channel.sendToQueue('wait', Buffer.from('two'))
      channel.ack(message!)
    })
    await broker.settled()
    await broker.clock.advance('29m')
    const before = [...seen]
    await broker.clock.advance('1m')

    expect(before).toEqual(['one'])
    expect(seen).toEqual(['one', 'two'])
    expect(broker.inspect('work')?.counts).toMatchObject({ ready: 0, unacknowledged: 0 })
    await connection.close()
  })

  test('amqplib is told why its channel is closed', async () => {
    const broker = await setup(profile)
    const connection = await amqplib.connect(broker.url)
    const channel = await connection.createChannel()
    const closed = once(channel, 'error')

    await expect(channel.checkQueue('nowhere')).rejects.toThrow(
      "404 (NOT-FOUND) with message \"NOT_FOUND - no queue 'nowhere' in vhost '/'\"",
    )

    expect((await closed)[0]).toMatchObject({ code: 404 })
    await connection.close()
  })

  test('rabbitmq-client publishes, consumes and answers a remote call', async () => {
    const broker = await setup(profile)
    const client = new Connection(broker.url)
    const server = client.createConsumer(
      { queue: 'calls', queueOptions: { durable: true } },
      async (request, reply) => {
        await reply(`answer to ${String(request.body)}`)
      },
    )
    await once(server, 'ready')
    const caller = client.createRPCClient({ confirm: true })

    const answer = await caller.send('calls', 'a question')

    expect(answer.body).toBe('answer to a question')
    await caller.close()
    await server.close()
    await client.close()
  })

  test('rabbitmq-client requeues what its handler fails on', async () => {
    const broker = await setup(profile)
    const client = new Connection(broker.url)
    const attempts: boolean[] = []
    const consumer = client.createConsumer(
      { queue: 'flaky', requeue: true, queueOptions: { durable: true }, qos: { prefetchCount: 1 } },
      async (message) => {
        attempts.push(message.redelivered)
        if (attempts.length === 1) throw new Error('the first attempt fails')
      },
    )
    consumer.on('error', () => undefined)
    await once(consumer, 'ready')
    const publisher = client.createPublisher({ confirm: true })
    await publisher.send('flaky', { id: 1 })
    await broker.settled()

    expect(attempts).toEqual([false, true])
    await publisher.close()
    await consumer.close()
    await client.close()
  })

  test('@cloudamqp/amqp-client publishes with a confirm, gets and subscribes', async () => {
    const broker = await setup(profile)
    const client = new AMQPClient(broker.url)
    const connection = await client.connect()
    const channel = await connection.channel()
    await channel.confirmSelect()
    await channel.queueDeclare('cloud', { durable: true })
    await channel.basicPublish('', 'cloud', 'first', { deliveryMode: 2 })
    await channel.basicPublish('', 'cloud', 'second', { deliveryMode: 2 })

    const got = await channel.basicGet('cloud', { noAck: true })
    const delivered = new Promise<string>((resolve, reject) => {
      channel
        .basicConsume('cloud', { noAck: false }, async (message) => {
          await channel.basicAck(message.deliveryTag)
          resolve(message.bodyString() ?? '')
        })
        .catch(reject)
    })

    expect(got?.bodyString()).toBe('first')
    expect(await delivered).toBe('second')
    await connection.close()
  })

  test('rascal sets its topology up, publishes and recovers by republishing', async () => {
    const broker = await setup(profile)
    const service: RascalBroker = await rascal.BrokerAsPromised.create({
      vhosts: {
        '/': {
          connection: { url: broker.url },
          exchanges: { deliveries: { type: 'topic' } },
          queues: { parcels: {} },
          bindings: {
            toParcels: { source: 'deliveries', destination: 'parcels', bindingKeys: ['parcel.#'] },
          },
          publications: { send: { exchange: 'deliveries', routingKey: 'parcel.sent', confirm: true } },
          subscriptions: { receive: { queue: 'parcels', prefetch: 1 } },
        },
      },
    })
    service.on('error', () => undefined)
    const attempts: number[] = []
    const subscription = await service.subscribe('receive')
    const done = new Promise<void>((resolve) => {
      subscription.on('message', (_, content, ackOrNack) => {
        attempts.push(content.id)
        if (attempts.length > 1) {
          ackOrNack()
          resolve()
        } else ackOrNack(new Error('not yet'), { strategy: 'republish', attempts: 2 })
      })
    })
    const publication = await service.publish('send', { id: 7 })
    await once(publication, 'success')
    await done

    expect(attempts).toEqual([7, 7])
    await service.shutdown()
  })
})
