import { describe, expect, it, onTestFinished } from 'vitest'
import {
  bindQueue,
  declareExchange,
  declareQueue,
  deleteQueue,
} from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { Delivery } from '../../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { joinBody } from '../../../packages/warrenmq/src/broker/amqp/message.ts'
import { Session, type SessionOptions } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import type { EncodedMessage } from '../../../packages/warrenmq/src/publisher/outgoing-message.ts'
import type { PublishResult } from '../../../packages/warrenmq/src/publisher/publish-result.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { decodeTable } from '../../../packages/warrenmq/src/wire/decode-table.ts'
import type { FieldTable, FieldValue } from '../../../packages/warrenmq/src/wire/field-value.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import {
  editProperties,
  encodeProperties,
  readProperty,
} from '../../../packages/warrenmq/src/wire/properties.ts'
import { readHeader } from '../../support/read-header.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()

async function setup(options: SessionOptions = {}) {
  const session = await Session.open(broker.url, { name: 'passed-on test', ...options })
  onTestFinished(() => session.close())
  const publisher = new Publisher(session)
  const channel = await session.openChannel()
  const send = (message: EncodedMessage): Promise<PublishResult> =>
    new Promise((settle) => publisher.publishEncoded(message, settle))
  const take = async (queue: string): Promise<Delivery> => (await channel.get(queue, { noAck: true }))!
  return { session, channel, publisher, send, take }
}

/** One of each type that RabbitMQ knows, at the ends of its range and beyond what a JavaScript number holds. */
const values: readonly FieldValue[] = [
  { type: 't', value: true },
  { type: 't', value: false },
  { type: 'b', value: -128 },
  { type: 'B', value: 255 },
  { type: 's', value: -32_768 },
  { type: 'u', value: 65_535 },
  { type: 'I', value: -2_147_483_648 },
  { type: 'i', value: 4_294_967_295 },
  { type: 'l', value: -9_223_372_036_854_775_808n },
  { type: 'l', value: 9_223_372_036_854_775_807n },
  { type: 'l', value: 9_007_199_254_740_993n },
  { type: 'f', value: 0.5 },
  { type: 'd', value: Math.PI },
  { type: 'D', value: { scale: 2, unscaled: 314 } },
  { type: 'S', value: 'größer 🐇 ٣' },
  { type: 'S', value: Buffer.from([0xff, 0xfe, 0x00]) },
  { type: 'x', value: Buffer.from([0, 255, 1]) },
  {
    type: 'A',
    value: [
      { type: 'I', value: 1 },
      { type: 'V', value: null },
      { type: 'A', value: [] },
    ],
  },
  { type: 'T', value: 1_700_000_000n },
  { type: 'F', value: [{ name: 'inner', value: { type: 'l', value: 1n } }] },
  { type: 'V', value: null },
]
/** In the order of their names: RabbitMQ sorts headers from 4.0 on. */
const everyType: FieldTable = values.map((value, index) => ({
  name: `${String(index).padStart(2, '0')}-${value.type}`,
  value,
}))

describe('a message that is passed on', () => {
  it.each(['classic', 'quorum'])(
    'has the same headers to the last bit, of every type (%s queues)',
    async (type) => {
      const { channel, send, take } = await setup()
      const [first, second] = [`${type}-first`, `${type}-second`]
      const args = toFieldTable({ 'x-queue-type': type })
      for (const queue of [first, second]) await declareQueue(channel, { queue, arguments: args })
      const properties = encodeProperties({ deliveryMode: 2, messageId: 'every', headers: everyType })
      const body = Buffer.from([0, 255, 206])

      await send({ exchange: '', key: first, properties, body })
      const arrived = await take(first)
      await send({ exchange: '', key: second, properties: arrived.properties, body: arrived.body })
      const passedOn = await take(second)

      // What the broker itself writes on a delivery of a quorum queue (3.10) is not the message's own.
      const isBrokers = (name: string): boolean => name === 'x-delivery-count'
      const own = editProperties(passedOn.properties, { headers: { remove: isBrokers } })
      expect(decodeTable(readProperty(own, 'headers')!)).toEqual(everyType)
      expect(own.equals(properties)).toBe(true)
      expect(joinBody(passedOn.body).equals(body)).toBe(true)
    },
  )

  it('differs in the one header that was added, and in nothing else', async () => {
    const { channel, send, take } = await setup()
    await declareQueue(channel, { queue: 'spliced' })
    const before = encodeProperties({ deliveryMode: 2, timestamp: 1n, headers: everyType })
    const attempt = { name: 'attempt', value: { type: 'I', value: 2 } } as const

    await send({
      exchange: '',
      key: 'spliced',
      properties: editProperties(before, { headers: { set: [attempt] } }),
      body: Buffer.alloc(0),
    })
    const { properties } = await take('spliced')

    expect(readHeader(properties, 'attempt')).toEqual(attempt.value)
    const undone = editProperties(properties, { headers: { remove: (name) => name === 'attempt' } })
    expect(undone.equals(before)).toBe(true)
  })

  it('keeps names, keys and properties in any script', async () => {
    const { channel, publisher, take } = await setup()
    const [exchange, queue, key] = ['обмен-取引', 'warteschlange-🐇', 'ключ.मुख्य.🥕']
    await declareExchange(channel, { exchange, type: 'topic' })
    await declareQueue(channel, { queue })
    await bindQueue(channel, { queue, exchange, routingKey: 'ключ.*.🥕' })

    const result = await publisher.publish({
      exchange,
      key,
      body: 'тело 🥕',
      messageId: 'идентификатор',
      type: 'заказ',
      headers: { 'причина-🐇': 'nicht möglich' },
    })
    const { properties, ...taken } = await take(queue)

    expect(result.kind).toBe('confirmed')
    expect(taken).toMatchObject({ exchange, routingKey: key })
    expect(String(joinBody(taken.body))).toBe('тело 🥕')
    expect(readProperty(properties, 'messageId')).toBe('идентификатор')
    expect(readProperty(properties, 'type')).toBe('заказ')
    expect(readHeader(properties, 'причина-🐇')).toEqual({ type: 'S', value: 'nicht möglich' })
    expect(await deleteQueue(channel, queue)).toBe(0)
  })

  it('is read although its header frame is larger than frame_max', async () => {
    const wide = await setup()
    const narrow = await setup({ frameMax: 8_192 })
    await declareQueue(wide.channel, { queue: 'long-history' })
    const headers: FieldTable = [{ name: 'history', value: { type: 'S', value: 'x'.repeat(60_000) } }]
    const properties = encodeProperties({ headers })

    await wide.send({ exchange: '', key: 'long-history', properties, body: Buffer.alloc(20_000, 'b') })
    const taken = await narrow.take('long-history')

    expect(narrow.session.connection!.agreement.frameMax).toBe(8_192)
    expect(taken.properties.equals(properties)).toBe(true)
    expect(joinBody(taken.body)).toHaveLength(20_000)
  })
})

it('what is published without a word about it is on disk and must find a queue', async () => {
  const { channel, publisher, take } = await setup()
  await declareQueue(channel, { queue: 'defaults' })

  const taken = await publisher.publish({ key: 'defaults', body: { id: 1 } })
  const homeless = await publisher.publish({ key: 'no such queue', body: { id: 2 } })
  const { properties } = await take('defaults')

  expect([taken.kind, homeless.kind]).toEqual(['confirmed', 'returned'])
  expect(readProperty(properties, 'deliveryMode')).toBe(2)
  expect(readProperty(properties, 'contentType')).toBe('application/json')
  expect(readProperty(properties, 'messageId')).toBe(taken.messageId)
})
