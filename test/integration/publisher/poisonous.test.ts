import { describe, expect, it, onTestFinished } from 'vitest'
import { declareQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { joinBody } from '../../../packages/warrenmq/src/broker/amqp/message.ts'
import { parseAmqpUrl } from '../../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import type { EncodedMessage } from '../../../packages/warrenmq/src/publisher/outgoing-message.ts'
import type { PublishResult } from '../../../packages/warrenmq/src/publisher/publish-result.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { encodeProperties } from '../../../packages/warrenmq/src/wire/properties.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()

async function setup() {
  const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
  const session = await Session.open(proxy.urlFor(broker.url), { backoff: { initialMs: 4, maxMs: 64 } })
  const publisher = new Publisher(session, { resend: true })
  const reading = await Session.open(broker.url)
  onTestFinished(async () => {
    await publisher.close()
    await Promise.all([session.close(), reading.close()])
    proxy.close()
  })
  let losses = 0
  session.events.on('disconnected', () => {
    losses += 1
  })
  const reader = await reading.openChannel()
  const queue = namePerTry('neighbours')
  await declareQueue(reader, { queue })
  const bodies = async (): Promise<string[]> => {
    const read: string[] = []
    for (;;) {
      const message = await reader.get(queue, { noAck: true })
      if (!message) return read
      read.push(joinBody(message.body).toString())
    }
  }
  await publisher.room()
  return { proxy, publisher, queue, bodies, losses: () => losses }
}

describe('a header that RabbitMQ closes the connection over', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    'is refused before it is sent, and its neighbours are confirmed: %s',
    async (price) => {
      const { publisher, queue, bodies, losses } = await setup()

      const before = publisher.publish({ key: queue, body: 'before' })
      const wrong = publisher.publish({ key: queue, body: 'wrong', headers: { price } })
      const behind = publisher.publish({ key: queue, body: 'behind' })

      await expect(wrong).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
      expect((await Promise.all([before, behind])).map(({ kind }) => kind)).toEqual([
        'confirmed',
        'confirmed',
      ])
      expect(losses()).toBe(0)
      expect(await bodies()).toEqual(['before', 'behind'])
    },
  )

  it('that was sent anyway is given up with the second connection, and what waits is sent', async () => {
    const { publisher, queue, bodies, losses } = await setup()
    const headers = [{ name: 'price', value: { type: 'd', value: Number.NaN } as const }]
    const poison: EncodedMessage = {
      exchange: '',
      key: queue,
      body: Buffer.from('poison'),
      messageId: 'poison',
      properties: encodeProperties({ messageId: 'poison', headers }),
    }

    const poisoned = new Promise<PublishResult>((resolve) => publisher.publishEncoded(poison, resolve))
    const neighbours = ['a', 'b', 'c'].map((body) => publisher.publish({ key: queue, body }))
    const lost = await poisoned
    const next = await publisher.publish({ key: queue, body: 'next' })

    expect(lost).toMatchObject({ kind: 'unknown', wasSent: true, cause: { replyCode: 541 } })
    expect(next).toMatchObject({ kind: 'confirmed' })
    expect(losses()).toBe(2)
    for (const each of await Promise.all(neighbours)) expect(each.kind).toMatch(/^(confirmed|unknown)$/)
    const copies = await bodies()
    for (const body of ['a', 'b', 'c']) expect(copies.filter((each) => each === body).length).toBeLessThan(3)
  })
})

describe('a reply to the place that RabbitMQ keeps for who consumes on the same channel', () => {
  it('is refused before it closes the channel, and its neighbours are confirmed', async () => {
    const { publisher, queue, bodies } = await setup()

    const before = publisher.publish({ key: queue, body: 'before' })
    const wrong = publisher.publish({ key: queue, body: 'wrong', replyTo: 'amq.rabbitmq.reply-to' })
    const behind = publisher.publish({ key: queue, body: 'behind' })

    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect((await Promise.all([before, behind])).map(({ kind }) => kind)).toEqual(['confirmed', 'confirmed'])
    expect(await bodies()).toEqual(['before', 'behind'])
  })
})

describe('a publish that was on the wire when two connections in a row were lost', () => {
  it('is not sent a third time', async () => {
    const { proxy, publisher, queue, bodies, losses } = await setup()

    const cut = () => proxy.cutAtFrame({ direction: 'to-client', classId: 60, methodId: 80, where: 'before' })

    const first = cut()
    const twice = publisher.publish({ key: queue, body: 'twice' })
    await first
    await cut()
    const result = await twice
    const next = await publisher.publish({ key: queue, body: 'next' })

    expect(result).toMatchObject({ kind: 'unknown', wasSent: true, cause: { code: 'CONNECTION_LOST' } })
    expect(next).toMatchObject({ kind: 'confirmed', mayBeDuplicate: false })
    expect(losses()).toBe(2)
    expect(await bodies()).toEqual(['twice', 'twice', 'next'])
  })
})
