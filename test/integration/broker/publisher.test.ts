import { describe, expect, it, onTestFinished } from 'vitest'
import { declareQueue, inspectQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { parseAmqpUrl } from '../../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import type { PublishResult } from '../../../packages/warrenmq/src/publisher/publish-result.ts'
import { Publisher, type PublisherOptions } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { encodeProperties } from '../../../packages/warrenmq/src/wire/properties.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()

async function setup(options: PublisherOptions = {}) {
  const session = await Session.open(broker.url, { name: 'publisher test' })
  const publisher = new Publisher(session, options)
  onTestFinished(async () => {
    await publisher.close()
    await session.close()
  })
  const channel = await session.openChannel()
  const declare = (queue: string, args = {}) =>
    declareQueue(channel, { queue, arguments: toFieldTable(args) })
  const depth = async (queue: string) => (await inspectQueue(channel, queue)).messageCount
  return { session, publisher, channel, declare, depth }
}

describe('a publish that is sent again when asked', () => {
  it('is not, when it has no id by which a second copy could be told', async () => {
    const queue = namePerTry('again')
    const { declare, depth } = await setup()
    await declare(queue)
    const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
    const session = await Session.open(proxy.urlFor(broker.url), { backoff: { initialMs: 5, maxMs: 50 } })
    const publisher = new Publisher(session, { resend: true })
    onTestFinished(async () => {
      await publisher.close()
      await session.close()
      proxy.close()
    })
    const properties = encodeProperties({ deliveryMode: 2 })
    const publish = (messageId: string | undefined): Promise<PublishResult> =>
      new Promise((resolve) => {
        const message = { exchange: '', key: queue, properties, body: Buffer.from('x'), messageId }
        publisher.publishEncoded(message, resolve)
      })
    await publish('warm-up')

    proxy.swallow('to-broker')
    const results = Promise.all([publish(undefined), publish('known')])
    proxy.cutAll()
    proxy.resume()

    expect((await results).map(({ kind }) => kind)).toEqual(['unknown', 'confirmed'])
    expect(await depth(queue)).toBe(2)
  })
})

describe('a publish whose connection dies', () => {
  const confirm = { direction: 'to-client', classId: 60, methodId: 80 } as const
  const content = { direction: 'to-broker', classId: 60, methodId: 40 } as const
  type Where = 'before' | 'middle' | 'after'
  const cuts: [string, typeof confirm | typeof content, Where, PublishResult['kind'], number][] = [
    ['before it is sent', content, 'before', 'unknown', 0],
    ['in the middle of it', content, 'middle', 'unknown', 0],
    ['before its confirm', confirm, 'before', 'unknown', 1],
    ['in the middle of its confirm', confirm, 'middle', 'unknown', 1],
    ['right after its confirm', confirm, 'after', 'confirmed', 1],
  ]

  it.each(cuts)('%s says no more than is known', async (moment, frame, where, kind, kept) => {
    const { declare, depth } = await setup()
    const queue = namePerTry(`cut ${moment}`)
    await declare(queue)
    const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
    const session = await Session.open(proxy.urlFor(broker.url), { backoff: { initialMs: 5, maxMs: 50 } })
    const publisher = new Publisher(session)
    onTestFinished(async () => {
      await publisher.close()
      await session.close()
      proxy.close()
    })
    await publisher.room()
    const lost = new Promise((resolve) => session.events.on('disconnected', resolve))
    const cut = proxy.cutAtFrame({ ...frame, where })

    const result = await publisher.publish({ key: queue, body: 'once' })
    await Promise.all([cut, lost])
    const next = await publisher.publish({ key: queue, body: 'next' })

    expect(result.kind).toBe(kind)
    if (result.kind === 'unknown')
      expect(result).toMatchObject({ wasSent: true, cause: { code: 'CONNECTION_LOST' } })
    expect(next.kind).toBe('confirmed')
    expect(await depth(queue)).toBe(kept + 1)
  })
})

describe('a publish', () => {
  it('is confirmed when a queue has it', async () => {
    const queue = namePerTry('orders')
    const { publisher, declare, depth } = await setup()
    await declare(queue)

    const result = await publisher.publish({ key: queue, body: { id: 42 }, messageId: 'order-42' })

    expect(result).toEqual({ kind: 'confirmed', messageId: 'order-42', mayBeDuplicate: false })
    expect(await depth(queue)).toBe(1)
  })

  it('is returned when no queue takes it, and only that one', async () => {
    const { publisher, declare } = await setup()
    await declare('known')
    const keys = Array.from({ length: 200 }, (_, index) => (index % 3 === 0 ? 'unknown' : 'known'))

    const results = await Promise.all(
      keys.map((key) => publisher.publish({ key, body: 'same body for all' })),
    )

    expect(results.map((result) => result.kind)).toEqual(
      keys.map((key) => (key === 'known' ? 'confirmed' : 'returned')),
    )
    expect(results[0]).toMatchObject({ replyCode: 312, replyText: 'NO_ROUTE' })
  })

  it('is nacked when the queue is full and rejects', async () => {
    const queue = namePerTry('full')
    const { publisher, declare, depth } = await setup()
    await declare(queue, { 'x-max-length': 1, 'x-overflow': 'reject-publish' })

    const first = await publisher.publish({ key: queue, body: '1' })
    const second = await publisher.publish({ key: queue, body: '2' })

    expect([first.kind, second.kind]).toEqual(['confirmed', 'nacked'])
    expect(await depth(queue)).toBe(1)
  })

  it('is unknown when the exchange does not exist, and the next one goes through', async () => {
    const { publisher, declare } = await setup()
    await declare('after')

    const lost = await publisher.publish({ exchange: 'no such exchange', key: 'a', body: '' })
    const next = await publisher.publish({ key: 'after', body: '' })

    expect(lost).toMatchObject({ kind: 'unknown', wasSent: true, cause: { replyCode: 404 } })
    expect(next.kind).toBe('confirmed')
  })

  it('settles each of many in a small window, in order', async () => {
    const queue = namePerTry('many')
    const { publisher, declare, depth } = await setup({ window: { messages: 8, bytes: 4096 } })
    await declare(queue)
    const settled: number[] = []

    await Promise.all(
      Array.from({ length: 2_000 }, async (_, index) => {
        const result = await publisher.publish({ key: queue, body: Buffer.alloc(500) })
        if (result.kind === 'confirmed') settled.push(index)
      }),
    )

    expect(settled).toEqual(Array.from({ length: 2_000 }, (_, index) => index))
    expect(await depth(queue)).toBe(2_000)
  })

  it('that is too many waits for room instead of filling the memory', async () => {
    const { publisher, declare } = await setup({ window: { messages: 4 }, waiting: { messages: 4 } })
    await declare('narrow')
    await publisher.room()

    const burst = await Promise.all(
      Array.from({ length: 20 }, () => publisher.publish({ key: 'narrow', body: 'x' })),
    )
    const patient = []
    for (let index = 0; index < 20; index += 1) {
      await publisher.room()
      patient.push(publisher.publish({ key: 'narrow', body: 'x' }))
    }

    expect(burst.filter(({ kind }) => kind === 'confirmed')).toHaveLength(8)
    expect(burst.filter(({ kind }) => kind === 'unknown')).toHaveLength(12)
    expect(burst.at(-1)).toMatchObject({ wasSent: false, cause: { code: 'PUBLISH_QUEUE_FULL' } })
    expect((await Promise.all(patient)).every(({ kind }) => kind === 'confirmed')).toBe(true)
  })

  it('with headers too large for the connection is told so, and the next one goes through', async () => {
    const { publisher, declare } = await setup()
    await declare('headers')

    const large = await publisher.publish({
      key: 'headers',
      body: '',
      headers: { stack: 'x'.repeat(140_000) },
    })
    const next = await publisher.publish({
      key: 'headers',
      body: '',
      headers: { stack: 'x'.repeat(100_000) },
    })

    expect(large).toMatchObject({ kind: 'unknown', wasSent: false, cause: { code: 'INVALID_ARGUMENT' } })
    expect(next.kind).toBe('confirmed')
  })

  it('after close is not sent, and says so', async () => {
    const { publisher, session, declare } = await setup()
    await declare('closed')
    const last = publisher.publish({ key: 'closed', body: '' })
    await publisher.close()

    expect((await last).kind).toBe('confirmed')
    expect(await publisher.publish({ key: 'closed', body: '' })).toMatchObject({
      kind: 'unknown',
      wasSent: false,
      cause: { code: 'PUBLISHER_CLOSED' },
    })
    await session.close()
  })
})
