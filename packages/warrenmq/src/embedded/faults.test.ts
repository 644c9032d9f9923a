import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import amqplib, { type ChannelModel, type ConfirmChannel, type GetMessage } from 'amqplib'
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { type EmbeddedBroker, startEmbeddedBroker } from './start-embedded-broker.ts'

const running: EmbeddedBroker[] = []
afterEach(async () => {
  for (const broker of running.splice(0)) await broker.stop()
})

interface Client {
  readonly connection: ChannelModel
  readonly channel: ConfirmChannel
  readonly lost: Promise<void>
}

async function setup(): Promise<Client & { broker: EmbeddedBroker }> {
  const broker = await startEmbeddedBroker({ clock: 'virtual' })
  running.push(broker)
  const client = await connect(broker)
  await client.channel.assertQueue('work', { durable: true })
  return { broker, ...client }
}

async function connect(broker: EmbeddedBroker): Promise<Client> {
  const connection = await amqplib.connect(broker.url)
  connection.on('error', () => undefined)
  const channel = await connection.createConfirmChannel()
  channel.on('error', () => undefined)
  return { connection, channel, lost: closing(connection) }
}

/** Unlike `once`, it does not mind the error that comes before the close. */
function closing(emitter: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    emitter.on('close', () => resolve())
  })
}

describe('a connection that is cut', () => {
  test('before the publish is routed has published nothing', async () => {
    const { broker, channel, lost } = await setup()
    const happened = broker.faults.cutConnection('before-publish')

    channel.sendToQueue('work', Buffer.from('m'))
    await happened
    await lost

    expect(broker.inspect('work')?.counts.ready).toBe(0)
  })

  test('after the second publish was routed has published two and heard of one', async () => {
    const { broker, channel, lost } = await setup()
    channel.sendToQueue('work', Buffer.from('first'))
    await channel.waitForConfirms()
    const happened = broker.faults.cutConnection('after-publish-routed')

    channel.sendToQueue('work', Buffer.from('second'))
    const confirmed = channel.waitForConfirms().then(
      () => true,
      () => false,
    )
    await happened
    await lost

    expect(broker.inspect('work')?.counts.ready).toBe(2)
    expect(await confirmed).toBe(false)
  })

  test('before its acknowledgement arrives gives the message back, marked as redelivered', async () => {
    const { broker, channel, lost } = await setup()
    channel.sendToQueue('work', Buffer.from('m'))
    await channel.waitForConfirms()
    const happened = broker.faults.cutConnection('before-ack')
    await channel.consume('work', (message) => channel.ack(message!))
    await happened
    await lost
    await broker.settled()

    const { channel: next } = await connect(broker)
    const message = await next.get('work')

    expect(message).toMatchObject({ fields: { redelivered: true } })
  })

  test('after its acknowledgement has settled it', async () => {
    const { broker, channel, lost } = await setup()
    channel.sendToQueue('work', Buffer.from('m'))
    await channel.waitForConfirms()
    const happened = broker.faults.cutConnection('after-ack')
    await channel.consume('work', (message) => channel.ack(message!))
    await happened
    await lost

    expect(broker.inspect('work')?.counts).toMatchObject({ ready: 0, unacknowledged: 0 })
  })
})

test('a confirm can be refused, though the message is there', async () => {
  const { broker, channel } = await setup()
  broker.faults.changeConfirms({ kind: 'nack' })

  channel.sendToQueue('work', Buffer.from('m'))

  await expect(channel.waitForConfirms()).rejects.toThrow()
  expect(broker.inspect('work')?.counts.ready).toBe(1)
})

test('a confirm can be late by the virtual clock', async () => {
  const { broker, channel } = await setup()
  broker.faults.changeConfirms({ kind: 'delay', delayMs: 60_000 })
  let isConfirmed = false
  channel.sendToQueue('work', Buffer.from('m'), {}, () => {
    isConfirmed = true
  })
  await broker.clock.advance('59s')
  const before = isConfirmed

  await broker.clock.advance('1s')

  expect(before).toBe(false)
  expect(isConfirmed).toBe(true)
})

test('a message can be returned though its queue is there, before its confirm', async () => {
  const { broker, channel } = await setup()
  const events: string[] = []
  channel.on('return', () => events.push('return'))
  broker.faults.returnPublishes()

  channel.sendToQueue('work', Buffer.from('m'), { mandatory: true }, () => events.push('confirm'))
  await channel.waitForConfirms()

  expect(events).toEqual(['return', 'confirm'])
  expect(broker.inspect('work')?.counts.ready).toBe(0)
})

test('who publishes while the broker is blocked is told so, and its publishes wait until it is unblocked', async () => {
  const { broker, connection, channel } = await setup()
  const events: string[] = []
  connection.on('blocked', (reason) => events.push(`blocked: ${reason}`))
  connection.on('unblocked', () => events.push('unblocked'))
  channel.sendToQueue('work', Buffer.from('first'))
  await channel.waitForConfirms()

  broker.faults.block('low on disk')
  await broker.settled({ held: 'pass' })
  const toldBeforeItPublishes = [...events]
  channel.sendToQueue('work', Buffer.from('second'))
  await broker.settled({ held: 'pass' })
  const whileBlocked = broker.inspect('work')?.counts.ready
  broker.faults.unblock()
  await channel.waitForConfirms()

  expect(toldBeforeItPublishes).toEqual([])
  expect(whileBlocked).toBe(1)
  expect(broker.inspect('work')?.counts.ready).toBe(2)
  expect(events).toEqual(['blocked: low on disk', 'unblocked'])
})

test('a channel can be closed under a consumer, and what it held comes back', async () => {
  const { broker, channel } = await setup()
  channel.sendToQueue('work', Buffer.from('m'))
  await channel.waitForConfirms()
  await channel.consume('work', () => undefined)
  await broker.settled({ held: 'pass' })
  const closed = closing(channel)

  broker.faults.closeChannels({ queue: 'work', reason: 'just so' })
  await closed

  expect(broker.inspect('work')?.counts).toMatchObject({ ready: 1, unacknowledged: 0 })
})

test('connections can be refused and accepted again', async () => {
  const { broker } = await setup()
  broker.faults.refuseConnections()
  await expect(amqplib.connect(broker.url)).rejects.toThrow()
  broker.faults.acceptConnections()

  await expect(connect(broker)).resolves.toBeDefined()
})

describe('a crash', () => {
  test('keeps what is durable and persistent, and gives back what was held', async () => {
    const { broker, channel, lost } = await setup()
    await channel.assertQueue('passing', { durable: false })
    channel.sendToQueue('work', Buffer.from('held'), { persistent: true })
    channel.sendToQueue('work', Buffer.from('kept'), { persistent: true })
    channel.sendToQueue('work', Buffer.from('gone'), { persistent: false })
    await channel.waitForConfirms()
    await channel.get('work')

    await broker.faults.crash()
    await lost
    await broker.faults.restart()

    expect(broker.inspect('passing')).toBeUndefined()
    expect(broker.inspect('work')?.messages.map(({ body }) => body.toString())).toEqual(['held', 'kept'])
    const { channel: next } = await connect(broker)
    expect(await next.get('work')).toMatchObject({ fields: { redelivered: true } })
  })

  test('takes the HTTP API with it until the restart', async () => {
    const { broker } = await setup()
    const target = `http://127.0.0.1:${broker.managementPort}/api/queues/%2F/made`
    const headers = { authorization: `Basic ${Buffer.from('guest:guest').toString('base64')}` }
    const call = (method: string) =>
      fetch(target, { method, headers, ...(method === 'PUT' ? { body: '{}' } : {}) }).then(
        ({ status }) => status,
        () => 'no answer',
      )
    const before = await call('GET')

    await broker.faults.crash()
    const meanwhile = [await call('GET'), await call('PUT')]
    await broker.faults.restart()

    expect(before).toBe(404)
    expect(meanwhile).toEqual(['no answer', 'no answer'])
    expect([await call('GET'), await call('PUT')]).toEqual([404, 201])
  })

  test('ends a request that is under way, and a broker that is down can be stopped', async () => {
    const { broker } = await setup()
    const request = httpRequest({
      host: '127.0.0.1',
      port: broker.managementPort,
      path: '/api/queues/%2F/made',
      method: 'PUT',
      headers: { authorization: `Basic ${Buffer.from('guest:guest').toString('base64')}` },
    })
    const failed = once(request, 'error')
    request.write('{')
    await eventually(() => request.socket?.connecting === false && request.socket.bytesWritten > 0)

    await broker.faults.crash()
    const [error] = (await failed) as [NodeJS.ErrnoException]
    await broker.stop()

    expect(error.code).toBe('ECONNRESET')
    expect(broker.inspect('made')).toBeUndefined()
  })

  test('loses what expires meanwhile on its way into a quorum queue, as RabbitMQ does at boot', async () => {
    const { broker, channel, lost } = await setup()
    await channel.assertQueue('target', { durable: true, arguments: { 'x-queue-type': 'quorum' } })
    for (const target of ['target', 'work']) {
      await channel.assertQueue(`wait for ${target}`, {
        durable: true,
        messageTtl: 8000,
        deadLetterExchange: '',
        deadLetterRoutingKey: target,
      })
      channel.sendToQueue(`wait for ${target}`, Buffer.from('m'), { persistent: true })
    }
    await channel.waitForConfirms()

    await broker.faults.crash()
    await lost
    await broker.clock.advance('11s')
    await broker.faults.restart()

    expect(broker.inspect('target')?.counts.ready).toBe(0)
    expect(broker.inspect('work')?.counts.ready).toBe(1)
  })
})

describe('a crash while several connections consume', () => {
  async function crashBetween(type: 'classic' | 'quorum', { noAck }: { noAck: boolean }) {
    const { broker, channel } = await setup()
    await channel.assertQueue('shared', { durable: true, arguments: { 'x-queue-type': type } })
    // Sockets end in an order of their own, so there is one on either side of the one that holds the message.
    const [earlier, holder, later] = [await connect(broker), await connect(broker), await connect(broker)]
    await holder.channel.prefetch(1)
    await holder.channel.consume('shared', () => undefined)
    channel.sendToQueue('shared', Buffer.from('held'), { persistent: true })
    await channel.waitForConfirms()
    await broker.settled({ held: 'pass' })
    for (const other of [earlier, later]) await other.channel.consume('shared', () => undefined, { noAck })
    await broker.settled({ held: 'pass' })

    await broker.faults.crash()
    await broker.faults.restart()

    const { channel: next } = await connect(broker)
    const message = await next.get('shared')
    return message && { body: message.content.toString(), count: deliveryCount(message) }
  }

  function deliveryCount({ properties }: GetMessage): unknown {
    return properties.headers?.['x-delivery-count']
  }

  test.each(['classic', 'quorum'] as const)(
    'gives nothing of a %s queue that one held to another, which needs not acknowledge it',
    async (type) => {
      expect(await crashBetween(type, { noAck: true })).toMatchObject({ body: 'held' })
    },
  )

  test('counts the one delivery that there was', async () => {
    expect(await crashBetween('quorum', { noAck: false })).toEqual({ body: 'held', count: 1 })
  })
})

test('a durable queue that deletes itself outlives a crash, with its consumer gone', async () => {
  const { broker, channel } = await setup()
  await channel.assertQueue('fleeting', { durable: true, autoDelete: true })
  channel.sendToQueue('fleeting', Buffer.from('kept'), { persistent: true })
  await channel.waitForConfirms()
  await channel.consume('fleeting', () => undefined)
  await broker.settled({ held: 'pass' })

  await broker.faults.crash()
  await broker.faults.restart()

  const { channel: next } = await connect(broker)
  const found = await next.checkQueue('fleeting')
  const { consumerTag } = await next.consume('fleeting', () => undefined)
  await next.cancel(consumerTag)
  expect(found).toMatchObject({ messageCount: 1, consumerCount: 0 })
  expect(broker.inspect('fleeting')).toBeUndefined()
})

test('what stood behind a transient message expires in its own time after a crash', async () => {
  const { broker, channel } = await setup()
  channel.sendToQueue('work', Buffer.from('transient'), { persistent: false })
  channel.sendToQueue('work', Buffer.from('expires'), { persistent: true, expiration: '60000' })
  channel.sendToQueue('work', Buffer.from('stays'), { persistent: true })
  await channel.waitForConfirms()

  await broker.faults.crash()
  await broker.faults.restart()
  await broker.clock.advance('61s')

  expect(broker.inspect('work')?.messages.map(({ body }) => body.toString())).toEqual(['stays'])
})
