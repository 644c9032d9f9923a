import { describe, expect, onTestFinished, test } from 'vitest'
import { inspectQueue } from '../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../packages/warrenmq/src/broker/amqp/session.ts'
import { connect, defineTopology, type PublishResult } from '../../packages/warrenmq/src/index.ts'
import { eventually } from '../support/eventually.ts'
import { startProxy } from '../support/start-proxy.ts'
import { useBroker } from '../support/use-broker.ts'

const broker = await useBroker()
const retry = { delays: [10], maxAttempts: 5 } as const
const topology = defineTopology({
  queues: { many: { retry }, aborted: { retry }, hasty: { retry }, batched: { retry }, paused: { retry } },
})
const options = { topology, managementUrl: broker.managementUrl, backoff: { initialMs: 5, maxMs: 50 } }

async function setup() {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port || 5672) })
  onTestFinished(() => proxy.close())
  const warren = await connect(proxy.urlFor(broker.url), options)
  onTestFinished(() => warren.close({ deadline: 0 }))
  await warren.apply()
  const direct = await connect(broker.url, options)
  onTestFinished(() => direct.close({ deadline: 0 }))
  const idsIn = async (queue: keyof typeof topology.queues) => {
    const ids: string[] = []
    const consumer = await direct.consume(queue, ({ id }) => void ids.push(id!))
    const session = await Session.open(broker.url)
    const channel = await session.openChannel()
    await eventually(async () => expect((await inspectQueue(channel, queue)).messageCount).toBe(0))
    await consumer.pause()
    await consumer.close()
    await session.close()
    return ids
  }
  return { proxy, warren, direct, idsIn }
}

const confirm = { direction: 'to-client', classId: 60, methodId: 80 } as const
const publishFrame = { direction: 'to-broker', classId: 60, methodId: 40 } as const
const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`)
const kindsOf = (results: readonly PublishResult[]) => new Set(results.map(({ kind }) => kind))

describe('publishMany over a connection that is cut', () => {
  test('gives a result for each: what is confirmed is there, what was not sent is not', async () => {
    const { proxy, warren, idsIn } = await setup()
    const ids = idsOf(2_000)
    const publisher = warren.publisher({ window: { messages: 50 } })
    const cut = proxy.cutAtFrame({ ...confirm, nth: 3 })

    const results = await publisher.publishMany(
      ids.map((messageId) => ({ key: 'many', messageId, body: 'x'.repeat(200) })),
    )
    await cut

    expect(results.map(({ messageId }) => messageId)).toEqual(ids)
    expect(kindsOf(results)).toEqual(new Set(['confirmed', 'unknown']))
    const found = new Set(await idsIn('many'))
    for (const result of results) {
      if (result.kind === 'confirmed') expect(found).toContain(result.messageId)
      if (result.kind === 'unknown' && !result.wasSent) expect(found).not.toContain(result.messageId)
    }
  })

  test('with resend every one is confirmed, and there', async () => {
    const { proxy, warren, idsIn } = await setup()
    const ids = idsOf(500)
    const publisher = warren.publisher({ window: { messages: 50 }, resend: true })
    const cut = proxy.cutAtFrame({ ...confirm, nth: 2 })

    const results = await publisher.publishMany(
      ids.map((messageId) => ({ key: 'many', messageId, body: {} })),
    )
    await cut

    expect(kindsOf(results)).toEqual(new Set(['confirmed']))
    expect(new Set(await idsIn('many'))).toEqual(new Set(ids))
  })

  test('beyond what may wait it waits, and refuses none', async () => {
    const { warren, idsIn } = await setup()
    const publisher = warren.publisher({ window: { messages: 10 }, waiting: { messages: 20, bytes: 10_000 } })

    const results = await publisher.publishMany(
      idsOf(300).map((messageId) => ({ key: 'many', messageId, body: 'x'.repeat(500) })),
    )

    expect(kindsOf(results)).toEqual(new Set(['confirmed']))
    expect(await idsIn('many')).toHaveLength(300)
  })
})

describe('a publish that is given up', () => {
  test('after it was sent is unknown, and may well be there', async () => {
    const { proxy, warren, idsIn } = await setup()
    const publisher = warren.publisher()
    await publisher.publish({ key: 'aborted', messageId: 'before', body: {} })
    const request = new AbortController()
    const reason = new Error('the user has left')
    const sent = proxy.atFrame(publishFrame, { kind: 'swallow', direction: 'to-client' })

    const publishing = publisher.publish({ key: 'aborted', messageId: 'sent', body: {} }, request)
    await sent
    request.abort(reason)
    const result = await publishing
    proxy.resume()

    expect(result).toMatchObject({
      kind: 'unknown',
      messageId: 'sent',
      wasSent: true,
      cause: { code: 'PUBLISH_ABORTED', cause: reason },
    })
    // The answers that come later belong to nobody, and the next ones find their own.
    expect(await publisher.publish({ key: 'aborted', messageId: 'after', body: {} })).toMatchObject({
      kind: 'confirmed',
      messageId: 'after',
    })
    expect(await idsIn('aborted')).toEqual(['before', 'sent', 'after'])
  })

  test('before it was sent is not sent later, wherever it stood in line', async () => {
    const { proxy, warren, idsIn } = await setup()
    const publisher = warren.publisher({ window: { messages: 1 } })
    await publisher.publish({ key: 'aborted', messageId: 'before', body: {} })
    const [one, other] = [new AbortController(), new AbortController()]
    proxy.swallow('to-client')
    const first = publisher.publish({ key: 'aborted', messageId: 'first', body: {} })
    const publish = (messageId: string, signal?: AbortSignal) =>
      publisher.publish({ key: 'aborted', messageId, body: {} }, signal && { signal })
    const line = [
      publish('a', one.signal),
      publish('b'),
      publish('c', other.signal),
      publish('d', one.signal),
      publish('e'),
    ]

    one.abort()
    const already = publish('f', one.signal)
    other.abort()
    const given = await Promise.all([line[0], line[2], line[3], already])
    expect(publisher.pendingCount).toBe(3)
    proxy.resume()

    for (const result of given) expect(result).toMatchObject({ kind: 'unknown', wasSent: false })
    for (const result of await Promise.all([first, line[1], line[4]]))
      expect(result).toMatchObject({ kind: 'confirmed' })
    await publisher.idle()
    expect(await idsIn('aborted')).toEqual(['before', 'first', 'b', 'e'])
  })

  test('with the others of its signal makes room for none of them', async () => {
    const { proxy, warren, idsIn } = await setup()
    const publisher = warren.publisher({ window: { messages: 2 } })
    await publisher.publish({ key: 'aborted', messageId: 'before', body: {} })
    const request = new AbortController()
    proxy.swallow('to-client')
    const publishing = publisher.publishMany(
      idsOf(6).map((messageId) => ({ key: 'aborted', messageId, body: {} })),
      { signal: request.signal },
    )
    await eventually(() => expect(publisher.pendingCount).toBe(6))

    request.abort()
    const results = await publishing
    proxy.resume()

    const sent = results.map((result) => result.kind === 'unknown' && result.wasSent)
    expect(sent).toEqual([true, true, false, false, false, false])
    expect(await publisher.publish({ key: 'aborted', messageId: 'after', body: {} })).toMatchObject({
      kind: 'confirmed',
    })
    expect(await idsIn('aborted')).toEqual(['before', 'm0', 'm1', 'after'])
  })

  test('by its own deadline says whether it was sent', async () => {
    const { proxy, warren } = await setup()
    const publisher = warren.publisher({ window: { messages: 1 } })
    await publisher.publish({ key: 'hasty', body: {} })
    proxy.swallow('to-client')

    const results = await publisher.publishMany(
      ['sent', 'waits'].map((messageId) => ({ key: 'hasty', messageId, body: {} })),
      { deadline: 100 },
    )

    expect(results).toMatchObject([
      { kind: 'unknown', wasSent: true, cause: { code: 'PUBLISH_DEADLINE' } },
      { kind: 'unknown', wasSent: false, cause: { code: 'PUBLISH_DEADLINE' } },
    ])
    proxy.resume()
    expect(publisher.pendingCount).toBe(0)
  })
})

describe('a consumer whose connection is cut again and again', () => {
  test('loses no message of its batches', { timeout: 120_000 }, async () => {
    const { proxy, warren, direct } = await setup()
    const ids = idsOf(600)
    const done = new Map<string, number>()
    const consumer = await warren.consume(
      'batched',
      { batch: { size: 20, wait: 20 }, concurrency: 2 },
      (messages) => {
        for (const { id } of messages) done.set(id!, (done.get(id!) ?? 0) + 1)
        return messages.map((_, at) =>
          Math.random() < 0.05 && at > 0 ? new Error('now and then') : undefined,
        )
      },
    )
    const interrupted: unknown[] = []
    consumer.events.on('consumer.interrupted', (event) => interrupted.push(event))

    await direct.publisher().publishMany(ids.map((messageId) => ({ key: 'batched', messageId, body: {} })))
    for (let round = 0; round < 5; round += 1) {
      await consumer.whenStarted()
      await eventually(() => expect(done.size).toBeGreaterThan(round * 60))
      proxy.cutAll()
      await eventually(() => expect(interrupted.length).toBeGreaterThan(round))
    }

    await eventually(() => expect(done.size).toBe(600))
    await eventually(() => expect(consumer.counts).toEqual({ waiting: 0, running: 0, held: 0 }))
    expect(await direct.deadLetters('batched').peek()).toEqual([])
  })

  test('loses none while it is paused and resumed', { timeout: 120_000 }, async () => {
    const { proxy, warren, direct } = await setup()
    const ids = idsOf(400)
    const done = new Set<string>()
    const consumer = await warren.consume('paused', ({ id }) => void done.add(id!), { prefetch: 20 })

    const published = direct
      .publisher()
      .publishMany(ids.map((messageId) => ({ key: 'paused', messageId, body: {} })))
    for (let round = 0; round < 6; round += 1) {
      const pausing = consumer.pause()
      if (round % 2 === 0) proxy.cutAll()
      await pausing
      const before = done.size
      if (round % 3 === 0) proxy.cutAll('fin')
      expect(done.size).toBe(before)
      await consumer.resume()
      await eventually(() => expect(consumer.isStarted).toBe(true))
    }
    await published

    await eventually(() => expect(done.size).toBe(400))
    expect(await direct.deadLetters('paused').peek()).toEqual([])
  })
})
