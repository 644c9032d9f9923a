import { describe, expect, it, onTestFinished } from 'vitest'
import type { AmqpChannel } from '../../../packages/warrenmq/src/broker/amqp/channel.ts'
import { openConnection } from '../../../packages/warrenmq/src/broker/amqp/connection.ts'
import {
  bindExchange,
  bindQueue,
  declareExchange,
  declareQueue,
  deleteExchange,
  deleteQueue,
  enableConfirms,
  inspectExchange,
  inspectQueue,
  unbindExchange,
  unbindQueue,
} from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { Delivery } from '../../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { encodePublish } from '../../../packages/warrenmq/src/broker/amqp/encode-publish.ts'
import { joinBody } from '../../../packages/warrenmq/src/broker/amqp/message.ts'
import { parseAmqpUrl } from '../../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { encodeProperties, noProperties } from '../../../packages/warrenmq/src/wire/properties.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { purgeQueue } from '../../support/purge-queue.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()

async function setup(): Promise<AmqpChannel> {
  const connection = await openConnection(parseAmqpUrl(broker.url)[0]!, { name: 'channel test' })
  onTestFinished(() => connection.close())
  return connection.openChannel()
}

function publish(channel: AmqpChannel, routingKey: string, body: Buffer, exchange = ''): void {
  channel.publish(encodePublish({ exchange, routingKey, mandatory: true }), noProperties, body)
}

async function collect(channel: AmqpChannel, queue: string, count: number): Promise<Delivery[]> {
  const deliveries: Delivery[] = []
  await channel.consume(queue, (delivery) => deliveries.push(delivery))
  await eventually(() => expect(deliveries).toHaveLength(count))
  return deliveries
}

describe('a channel', () => {
  it('declares, binds, inspects, unbinds, purges and deletes', async () => {
    const queue = namePerTry('all')
    const channel = await setup()

    await declareExchange(channel, { exchange: 'source', type: 'topic' })
    await declareExchange(channel, { exchange: 'inner', type: 'fanout' })
    await declareQueue(channel, { queue })
    await bindExchange(channel, { source: 'source', destination: 'inner', routingKey: 'a.*' })
    await bindQueue(channel, { queue, exchange: 'inner', routingKey: '' })
    publish(channel, 'a.b', Buffer.from('one'), 'source')
    await eventually(async () => expect((await inspectQueue(channel, queue)).messageCount).toBe(1))
    expect(await purgeQueue(channel, queue)).toBe(1)
    await unbindQueue(channel, { queue, exchange: 'inner', routingKey: '' })
    await unbindExchange(channel, { source: 'source', destination: 'inner', routingKey: 'a.*' })
    await inspectExchange(channel, 'source')
    await deleteExchange(channel, 'inner', { ifUnused: true })

    expect(await deleteQueue(channel, queue, { ifEmpty: true })).toBe(0)
  })

  it.each([0, 1, 1_000, 131_064, 131_065, 1_000_000])(
    'carries a body of %i bytes both ways',
    async (size) => {
      const channel = await setup()
      const queue = namePerTry(`body-${size}`)
      await declareQueue(channel, { queue })
      const body = Buffer.alloc(size, 'warren')

      publish(channel, queue, body)
      const [delivery] = await collect(channel, queue, 1)

      expect(joinBody(delivery!.body).equals(body)).toBe(true)
      expect(delivery).toMatchObject({
        exchange: '',
        routingKey: queue,
        isRedelivered: false,
        bodyBytes: size,
      })
    },
  )

  it('gets one message at a time, and none from an empty queue', async () => {
    const queue = namePerTry('to-get')
    const channel = await setup()
    await declareQueue(channel, { queue })
    await enableConfirms(channel)
    const confirmed = new Promise((resolve) => channel.events.on('confirmed', resolve))
    publish(channel, queue, Buffer.from('a'))
    publish(channel, queue, Buffer.from('b'))
    await confirmed

    await eventually(async () => expect((await inspectQueue(channel, queue)).messageCount).toBe(2))
    const first = await channel.get(queue, { noAck: true })
    const second = await channel.get(queue)

    expect(first).toMatchObject({ messageCount: 1 })
    expect(first?.ack()).toBe('stale') // a message taken without ack is done with already
    expect(second?.ack()).toBe('sent')
    expect(await channel.get(queue)).toBeUndefined()
    expect(channel.openDeliveries).toBe(0)
  })

  it('settles each delivery once and each in its own way, in any order', async () => {
    const queue = namePerTry('settling')
    const channel = await setup()
    await declareQueue(channel, { queue })
    await channel.setPrefetch(100)
    for (let index = 0; index < 10; index += 1) publish(channel, queue, Buffer.from([index]))
    const deliveries = await collect(channel, queue, 10)
    const settle = (index: number) => deliveries[index]!

    expect(settle(1).ack()).toBe('sent')
    expect(settle(3).nack({ requeue: false })).toBe('sent')
    await inspectQueue(channel, queue) // a round trip: those two have left
    expect(settle(0).ack()).toBe('sent')
    expect(settle(2).ack()).toBe('sent')
    expect(settle(4).reject({ requeue: false })).toBe('sent')
    expect(settle(5).ack()).toBe('sent')
    expect(settle(9).ack()).toBe('sent')
    expect(settle(9).ack()).toBe('stale')
    expect(settle(0).nack({ requeue: true })).toBe('stale')
    await inspectQueue(channel, queue)
    expect(channel.openDeliveries).toBe(3)
    await channel.close()

    const next = await setup()
    const left = await collect(next, queue, 3)
    expect(left.map((delivery) => joinBody(delivery.body)[0])).toEqual([6, 7, 8])
    expect(left.every((delivery) => delivery.isRedelivered)).toBe(true)
    expect(settle(6).ack()).toBe('stale')
  })

  it('keeps the code and text with which the broker closes it, and its neighbours do not notice', async () => {
    const connection = await openConnection(parseAmqpUrl(broker.url)[0]!)
    onTestFinished(() => connection.close())
    const channels = await Promise.all([1, 2, 3, 4, 5].map(() => connection.openChannel()))
    const victim = channels[2]!
    const closed = new Promise((resolve) => victim.events.on('closed', resolve))

    await expect(inspectQueue(victim, 'no such queue')).rejects.toMatchObject({
      code: 'CHANNEL_CLOSED_BY_BROKER',
      replyCode: 404,
      replyText: expect.stringContaining("no queue 'no such queue'"),
    })

    await closed
    expect(victim.isOpen).toBe(false)
    await expect(inspectQueue(victim, 'any')).rejects.toMatchObject({ replyCode: 404 })
    for (const channel of channels.filter((other) => other !== victim)) {
      await expect(declareQueue(channel, { queue: 'neighbours' })).resolves.toMatchObject({
        queue: 'neighbours',
      })
    }
  })

  it('matches answers to questions that are asked at once, also where the broker answers out of order', async () => {
    const channel = await setup()
    await declareQueue(channel, { queue: 'asked-at-once' })

    const rounds = Array.from({ length: 50 }, () =>
      Promise.all([
        channel.consume('asked-at-once', () => {}),
        inspectQueue(channel, 'asked-at-once'),
        channel.get('asked-at-once'),
        channel.setPrefetch(5),
      ]),
    )
    const answers = await Promise.all(rounds)

    for (const [consumerTag, counts, got] of answers) {
      expect(consumerTag).toMatch(/^warren-/)
      expect(counts).toMatchObject({ name: 'queue.declare-ok', queue: 'asked-at-once' })
      expect(got).toBeUndefined()
    }
  })

  it('tells that the broker ended a consumer because its queue is gone', async () => {
    const channel = await setup()
    const other = await setup()
    await declareQueue(channel, { queue: 'doomed' })
    const consumerTag = await channel.consume('doomed', () => {})
    const cancelled = new Promise((resolve) => channel.events.on('cancelled', resolve))

    await deleteQueue(other, 'doomed')

    expect(await cancelled).toEqual({ consumerTag })
    expect(channel.isOpen).toBe(true)
  })

  it('hands nothing more to a cancelled consumer', async () => {
    const queue = namePerTry('cancelled')
    const channel = await setup()
    await declareQueue(channel, { queue })
    const seen: Delivery[] = []
    const consumerTag = await channel.consume(queue, (delivery) => seen.push(delivery))

    await channel.cancel(consumerTag)
    publish(channel, queue, Buffer.from('late'))

    await eventually(async () => expect((await inspectQueue(channel, queue)).messageCount).toBe(1))
    expect(seen).toEqual([])
  })

  it('gives back an unroutable message with its reason, before its confirm', async () => {
    const channel = await setup()
    await enableConfirms(channel)
    const seen: string[] = []
    channel.events.on('returned', ({ replyText, routingKey }) => seen.push(`${replyText} ${routingKey}`))
    channel.events.on('confirmed', ({ tag, isAck }) => seen.push(`${isAck ? 'ack' : 'nack'} ${tag}`))
    const properties = encodeProperties({ messageId: 'm-1', deliveryMode: 2 })

    channel.publish(
      encodePublish({ exchange: '', routingKey: 'nowhere', mandatory: true }),
      properties,
      Buffer.from('x'),
    )

    await eventually(() => expect(seen).toEqual(['NO_ROUTE nowhere', 'ack 1']))
  })
})
