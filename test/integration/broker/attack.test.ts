import { setImmediate as nextTick } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AmqpChannel } from '../../../packages/warrenmq/src/broker/amqp/channel.ts'
import {
  bindQueue,
  declareExchange,
  declareQueue,
  inspectQueue,
} from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { Delivery } from '../../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { encodePublish } from '../../../packages/warrenmq/src/broker/amqp/encode-publish.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import type { EncodedMessage } from '../../../packages/warrenmq/src/publisher/outgoing-message.ts'
import type { PublishResult } from '../../../packages/warrenmq/src/publisher/publish-result.ts'
import { Publisher, type PublisherOptions } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import type { FieldTable } from '../../../packages/warrenmq/src/wire/field-value.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { encodeProperties, noProperties } from '../../../packages/warrenmq/src/wire/properties.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { purgeQueue } from '../../support/purge-queue.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()

async function setup() {
  const session = await Session.open(broker.url, { name: 'attack test', backoff: { initialMs: 10 } })
  onTestFinished(() => session.close())
  return { session, channel: await session.openChannel() }
}

async function setupPublisher(options: PublisherOptions = {}) {
  const { session, channel } = await setup()
  const publisher = new Publisher(session, options)
  onTestFinished(() => publisher.close())
  const send = (message: EncodedMessage) =>
    new Promise<PublishResult>((settle) => publisher.publishEncoded(message, settle))
  return { session, channel, publisher, send }
}

/** Fills a queue and hands out its messages, unsettled. */
async function consumeMany(
  channel: AmqpChannel,
  queue: string,
  count: number,
  args: FieldTable = [],
): Promise<Delivery[]> {
  await declareQueue(channel, { queue, arguments: args })
  await channel.setPrefetch(1000) // acks are gathered in batches of hundreds
  const method = encodePublish({ exchange: '', routingKey: queue, mandatory: true })
  for (let index = 0; index < count; index += 1) channel.publish(method, noProperties, Buffer.from([index]))
  const deliveries: Delivery[] = []
  await channel.consume(queue, (delivery) => deliveries.push(delivery))
  await eventually(() => expect(deliveries).toHaveLength(count))
  return deliveries
}

const dropped = { requeue: false }

type Ranked = [number, { readonly rank: number }]
const byRank = ([, one]: Ranked, [, other]: Ranked) => one.rank - other.rank

const readyIn = async (channel: AmqpChannel, queue: string) =>
  (await inspectQueue(channel, queue)).messageCount

describe('a delivery', () => {
  it.each(['nack', 'reject'] as const)(
    'that is given back by %s between two acked ones is not acked with them',
    async (way) => {
      const { session, channel } = await setup()
      const queue = `between-${way}`
      const deliveries = await consumeMany(channel, queue, 5)
      const consumerTag = deliveries[0]!.consumerTag

      await channel.cancel(consumerTag)
      deliveries[0]!.ack()
      deliveries[2]!.ack()
      deliveries[1]![way]({ requeue: true })
      await channel.close()

      expect(channel.closeReason).toBeUndefined()
      const other = await session.openChannel()
      await eventually(async () => expect(await readyIn(other, queue)).toBe(3))
      const left = await Promise.all([1, 2, 3].map(() => other.get(queue, { noAck: true })))
      expect(left.map((message) => (message!.body as Buffer)[0]).sort()).toEqual([1, 3, 4])
    },
  )

  it('is settled as its handler says, in whatever order and company', async () => {
    const { channel } = await setup()
    const args = toFieldTable({ 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'refused' })
    await declareQueue(channel, { queue: 'refused' })
    await declareQueue(channel, { queue: 'mixed', arguments: args })
    const ways = ['ack', 'ack', 'ack', 'nack', 'reject', 'keep'] as const
    const fate = fc.record({ way: fc.constantFrom(...ways), rank: fc.nat(), isLastOfTick: fc.boolean() })

    await fc.assert(
      fc.asyncProperty(fc.array(fate, { minLength: 1, maxLength: 60 }), async (fates) => {
        await purgeQueue(channel, 'refused')
        const deliveries = await consumeMany(channel, 'mixed', fates.length, args)
        await channel.cancel(deliveries[0]!.consumerTag)

        for (const [index, { way, isLastOfTick }] of [...fates.entries()].sort(byRank)) {
          const delivery = deliveries[index]!
          if (way !== 'keep') expect(way === 'ack' ? delivery.ack() : delivery[way](dropped)).toBe('sent')
          if (isLastOfTick) await nextTick()
        }

        const kept = [...fates.keys()].filter((index) => fates[index]!.way === 'keep')
        const refused = fates.filter(({ way }) => way === 'nack' || way === 'reject').length
        await eventually(async () => expect(await readyIn(channel, 'refused')).toBe(refused))
        for (const index of kept) expect(deliveries[index]!.ack()).toBe('sent')
        expect(await readyIn(channel, 'mixed')).toBe(0)
        expect([channel.isOpen, channel.openDeliveries]).toEqual([true, 0])
      }),
      { numRuns: 30 },
    )
  })

  it('that was acked right before its session closed is gone from the queue', async () => {
    const { session, channel } = await setup()
    const deliveries = await consumeMany(channel, 'acked-last', 3)

    for (const delivery of deliveries) expect(delivery.ack()).toBe('sent')
    await session.close()

    const { channel: after } = await setup()
    await eventually(async () => {
      const { messageCount, consumerCount } = await inspectQueue(after, 'acked-last')
      expect({ messageCount, consumerCount }).toEqual({ messageCount: 0, consumerCount: 0 })
    })
  })
})

describe('a channel', () => {
  it('that is closed while it is asked something answers both', async () => {
    const { session, channel } = await setup()

    const [declared, got] = await Promise.allSettled([
      declareQueue(channel, { queue: 'asked-while-closing' }),
      channel.get('asked-while-closing'),
      channel.close(),
    ])

    expect(declared).toMatchObject({ status: 'fulfilled', value: { queue: 'asked-while-closing' } })
    expect(got).toMatchObject({ status: 'fulfilled', value: undefined })
    expect(session.connection!.isOpen).toBe(true)
  })

  it('that is closed with a message on its way to it leaves the message in the queue', async () => {
    const { session, channel } = await setup()
    const queue = namePerTry('got-while-closing')
    await declareQueue(channel, { queue })
    const method = encodePublish({ exchange: '', routingKey: queue, mandatory: true })
    channel.publish(method, noProperties, Buffer.from('a'))
    await eventually(async () => expect(await readyIn(channel, queue)).toBe(1))

    const [got] = await Promise.allSettled([channel.get(queue), channel.close()])

    expect(got).toMatchObject({ status: 'rejected', reason: { code: 'CHANNEL_CLOSED' } })
    const other = await session.openChannel()
    await eventually(async () => expect(await readyIn(other, queue)).toBe(1))
  })

  it('that both sides close at once is closed, and its connection lives on', async () => {
    const { session, channel } = await setup()
    const method = encodePublish({ exchange: 'no such exchange', routingKey: '', mandatory: true })

    channel.publish(method, noProperties, Buffer.from('a'))
    await channel.close()

    expect(channel.isOpen).toBe(false)
    expect((await session.openChannel()).isOpen).toBe(true)
  })
})

describe('a session', () => {
  it('that is closed supervises no more channels', async () => {
    const { session } = await setup()
    await session.close()

    const late = session.superviseChannel('late', async () => {})

    await expect(late.whenOpen()).rejects.toMatchObject({ code: 'CHANNEL_CLOSED' })
    await late.stopped
  })
})

describe('a publisher', () => {
  it('tells apart two messages that differ in their headers only, when one of them has no route', async () => {
    const { channel, send } = await setupPublisher()
    const exchange = namePerTry('by-headers')
    await declareExchange(channel, { exchange, type: 'headers' })
    const queue = namePerTry('reds')
    await declareQueue(channel, { queue })
    const red = toFieldTable({ colour: 'red' })
    await bindQueue(channel, { queue, exchange, routingKey: '', arguments: red })
    const message = (colour: string): EncodedMessage => ({
      exchange,
      key: '',
      properties: encodeProperties({ deliveryMode: 2, headers: toFieldTable({ colour }) }),
      body: Buffer.from('{}'),
    })

    const colours = ['red', 'blue', 'red', 'green', 'red']
    const results = await Promise.all(colours.map((colour) => send(message(colour))))

    expect(results.map(({ kind }) => kind)).toEqual([
      'confirmed',
      'returned',
      'confirmed',
      'returned',
      'confirmed',
    ])
    expect(await readyIn(channel, queue)).toBe(3)
  })

  it('settles what is published by a listener in the moment its channel is back, and by its own answer', async () => {
    const { session, channel, publisher } = await setupPublisher()
    await declareQueue(channel, { queue: 'known' })
    await publisher.room()
    const results: Promise<PublishResult>[] = []
    session.events.on('channel-opened', () => {
      results.push(publisher.publish({ key: 'unknown', body: 'first' }))
      results.push(publisher.publish({ key: 'known', body: 'second' }))
    })

    await publisher.publish({ exchange: 'no such exchange', key: '', body: '' }) // takes the channel away
    await eventually(() => expect(results).toHaveLength(2))
    results.push(publisher.publish({ key: 'unknown', body: 'third' }))

    const kinds = (await Promise.all(results)).map(({ kind }) => kind)
    expect(kinds).toEqual(['returned', 'confirmed', 'returned'])
  })

  it('that sends again does not do so with what makes the broker close the channel', async () => {
    const { channel, publisher } = await setupPublisher({ resend: true })
    const key = namePerTry('neighbour')
    await declareQueue(channel, { queue: key })
    await publisher.room()

    const results = await Promise.all([
      publisher.publish({ key, body: 'before' }),
      publisher.publish({ key, body: '', userId: 'somebody else' }),
      publisher.publish({ key, body: 'after' }),
    ])
    const next = await publisher.publish({ key, body: 'next' })

    // It does not say by which publish it was closed, so none of them is sent again.
    expect(results[1]).toMatchObject({ kind: 'unknown', wasSent: true, cause: { replyCode: 406 } })
    expect(results[2]).toMatchObject({ kind: 'unknown', wasSent: true, cause: { replyCode: 406 } })
    expect(next).toMatchObject({ kind: 'confirmed', mayBeDuplicate: false })
    expect(await readyIn(channel, key)).toBe(2)
  })

  it('of a session that is closed says so at once', async () => {
    const { session } = await setup()
    await session.close()
    const publisher = new Publisher(session)

    const result = await publisher.publish({ key: 'orders', body: '' })
    await publisher.room()

    expect(result).toMatchObject({ kind: 'unknown', wasSent: false, cause: { code: 'PUBLISHER_CLOSED' } })
    await publisher.close()
  })

  it('rejects what cannot be sent, and throws nothing', async () => {
    const { publisher } = await setupPublisher()
    const circular: Record<string, unknown> = {}
    circular.self = circular

    const results = await Promise.allSettled(
      [circular, undefined].map((body) => publisher.publish({ key: 'orders', body })),
    )

    expect(results).toMatchObject([
      { status: 'rejected', reason: { code: 'INVALID_ARGUMENT' } },
      { status: 'rejected', reason: { code: 'INVALID_ARGUMENT' } },
    ])
    expect(publisher.pendingCount).toBe(0)
  })

  it('that is closed lets nobody wait for room', async () => {
    const { publisher } = await setupPublisher()
    await publisher.close()

    await publisher.room()

    expect(publisher.pendingCount).toBe(0)
  })

  it('settles all the others when the callback of one throws', async () => {
    const { channel, publisher } = await setupPublisher()
    await declareQueue(channel, { queue: 'careless' })
    await publisher.room()
    const uncaught: unknown[] = []
    const before = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', (error) => uncaught.push(error))
    onTestFinished(() => {
      process.removeAllListeners('uncaughtException')
      for (const listener of before) process.on('uncaughtException', listener)
    })
    const kinds: string[] = []

    const message = { exchange: 'no such exchange', key: '', properties: noProperties, body: Buffer.alloc(1) }
    for (let index = 0; index < 3; index += 1) {
      publisher.publishEncoded(message, ({ kind }) => {
        kinds.push(kind)
        throw new Error('a careless callback')
      })
    }
    await publisher.idle()

    expect(kinds).toEqual(['unknown', 'unknown', 'unknown'])
    await eventually(() => expect(uncaught).toHaveLength(3))
  })
})
