import { describe, expect, it, onTestFinished } from 'vitest'
import { declareQueue, deleteQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { parseAmqpUrl } from '../../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import type { QueueDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { eventually } from '../../support/eventually.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'
import { collect, createConsumerRig, declareTopology } from './consumer-rig.ts'

const broker = await useBroker()
let made = 0

/** A queue of the default layout; consumers reach the broker through a proxy. */
async function setup(queue: QueueDeclaration = {}) {
  made += 1
  const name = `work-${made}`
  const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
  onTestFinished(() => proxy.close())
  const rig = await createConsumerRig({
    url: broker.url,
    consumingUrl: proxy.urlFor(broker.url),
    declaration: { queues: { [name]: { retry: { delays: [20], maxAttempts: 3 }, ...queue } } },
  })
  const publish = async (...bodies: string[]) => {
    for (const body of bodies) await rig.publisher.publish({ key: name, body, messageId: `id-${body}` })
  }
  return { ...rig, name, proxy, publish, dlq: `${name}.dlq` }
}

/** A promise that the test keeps or breaks. */
function deferred() {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

describe('a handler', () => {
  it('that takes too long is told by its signal, and its attempt has failed', async () => {
    const { consume, name, publish } = await setup()
    const reasons: unknown[] = []
    const consumer = await consume(
      name,
      (_, { signal, attempt }) =>
        attempt === 2
          ? undefined
          : new Promise(() => signal.addEventListener('abort', () => reasons.push(signal.reason))),
      { timeout: 30 },
    )
    const settled = collect(consumer, 'delivery.settled')

    await publish('slow')

    await eventually(() =>
      expect(settled.map(({ outcome }) => outcome.kind)).toEqual(['retry', 'acknowledge']),
    )
    expect(reasons).toMatchObject([{ code: 'HANDLER_TIMEOUT' }])
  })

  it('that hangs blocks no reconnect, and its message is not run beside it', async () => {
    const { consume, name, publish, proxy, depth } = await setup()
    const hung = deferred()
    const runs: string[] = []
    const consumer = await consume(name, async ({ body }) => {
      runs.push(body as string)
      if (body === 'hangs') await hung.promise
    })
    const settled = collect(consumer, 'delivery.settled')
    await publish('hangs')
    await eventually(() => expect(runs).toEqual(['hangs']))

    const interrupted = collect(consumer, 'consumer.interrupted')
    proxy.cutAll()
    await eventually(() => expect(interrupted).toHaveLength(1))
    await publish('next')

    await eventually(() => expect(settled.map(({ message }) => message.body)).toEqual(['next']))
    hung.resolve()
    await eventually(() => expect(settled.map(({ message }) => message.body)).toEqual(['next', 'hangs']))
    expect(runs).toEqual(['hangs', 'next'])
    await consumer.close()
    expect(await depth(name)).toBe(0)
  })

  it('whose ack was lost is not run again when the message comes back', async () => {
    const { consume, name, publish, proxy, depth } = await setup()
    let runs = 0
    const consumer = await consume(name, () => {
      runs += 1
    })
    const remembered = collect(consumer, 'delivery.remembered')
    const cut = proxy.cutAtFrame({ direction: 'to-broker', classId: 60, methodId: 80, where: 'before' })

    await publish('once')
    await cut

    await eventually(() => expect(remembered).toHaveLength(1))
    await consumer.close()
    expect(runs).toBe(1)
    expect(await depth(name)).toBe(0)
  })
})

describe('a consumer', () => {
  it('goes on when its queue is deleted and made again', async () => {
    const { consume, name, publish, admin, flow, topology } = await setup({ deadLetter: {} })
    const seen: unknown[] = []
    const consumer = await consume(name, ({ body }) => void seen.push(body))
    const failures = collect(consumer, 'consumer.start-failed')
    const started = collect(consumer, 'consumer.started')

    await deleteQueue(admin, name)
    await eventually(() => expect(failures.length).toBeGreaterThan(0))
    await declareTopology(admin, topology)
    await eventually(() => expect(started).toHaveLength(1))
    await publish('again')

    await eventually(() => expect(seen).toEqual(['again']))
    expect(failures[0]?.error.message).toContain(flow(name).queue)
  })

  it('does not begin while the queue for its dead letters is missing', async () => {
    const { consume, name, publish, admin, dlq, consuming } = await setup()
    await deleteQueue(admin, dlq)
    const failures: string[] = []
    consuming.events.on('channel-failed', ({ error }) => failures.push(error.message))
    const seen: unknown[] = []
    const starting = consume(name, ({ body }) => void seen.push(body))
    starting.catch(() => {}) // a test that fails before it waits for it ends it
    await publish('early')

    await eventually(() => expect(failures[0]).toContain(dlq))
    expect(seen).toEqual([])
    const args = toFieldTable({ 'x-queue-type': 'quorum' })
    await declareQueue(admin, { queue: dlq, arguments: args })
    await starting

    await eventually(() => expect(seen).toEqual(['early']))
  })

  it('runs messages of one key in order, one at a time, and others beside them', async () => {
    const { consume, name, publish } = await setup()
    const busy = new Map<string, number>()
    const order: string[] = []
    let most = 0
    await consume(
      name,
      async ({ body }) => {
        const [key] = body as string
        busy.set(key!, (busy.get(key!) ?? 0) + 1)
        expect(busy.get(key!)).toBe(1)
        most = Math.max(
          most,
          [...busy.values()].reduce((sum, count) => sum + count, 0),
        )
        await new Promise((resolve) => setImmediate(resolve))
        order.push(body as string)
        busy.set(key!, 0)
      },
      { concurrency: 4, prefetch: 20, orderBy: ({ body }) => (body as string)[0] },
    )

    await publish('a1', 'a2', 'b1', 'a3', 'b2', 'c1', 'a4', 'b3')

    await eventually(() => expect(order).toHaveLength(8))
    for (const key of ['a', 'b', 'c']) {
      const ofKey = order.filter((body) => body.startsWith(key))
      expect(ofKey).toEqual(ofKey.toSorted())
    }
    expect(most).toBeLessThanOrEqual(4)
  })

  it('that closes finishes what runs, gives back what has not begun, and takes no more', async () => {
    const { consume, name, publish, depth } = await setup()
    const finish = deferred()
    const began: unknown[] = []
    const consumer = await consume(
      name,
      async ({ body }) => {
        began.push(body)
        await finish.promise
      },
      { concurrency: 1, prefetch: 3 },
    )
    const settled = collect(consumer, 'delivery.settled')
    await publish('1', '2', '3', '4')
    await eventually(() => expect(consumer.counts).toEqual({ running: 1, waiting: 2, held: 0 }))

    const closing = consumer.close()
    await eventually(async () => expect(await depth(name)).toBe(3))
    finish.resolve()
    await closing

    expect(began).toEqual(['1'])
    const givenBack = settled.filter(({ outcome }) => outcome.kind === 'give-back')
    expect(givenBack.map(({ durationMs }) => durationMs)).toEqual([undefined, undefined])
    expect(settled.filter(({ outcome }) => outcome.kind === 'acknowledge')).toHaveLength(1)
    expect(await depth(name)).toBe(3)
  })

  it('that closes while the broker says nothing waits for it no longer than the deadline', async () => {
    const { consume, name, publish, proxy } = await setup()
    const aborted = deferred()
    const consumer = await consume(
      name,
      (_, { signal }) => new Promise(() => signal.addEventListener('abort', aborted.resolve)),
    )
    await publish('long')
    await eventually(() => expect(consumer.counts.running).toBe(1))

    proxy.swallow('to-client')
    const closing = consumer.close({ deadline: 10 })
    await aborted.promise
    proxy.cutAll()

    await closing
    expect(consumer.counts.running).toBe(1) // it was told to end, and is not waited for
  }, 20_000)

  it('that cannot wait any longer aborts its handlers and gives their messages back', async () => {
    const { consume, name, publish, depth } = await setup()
    const reasons: unknown[] = []
    const consumer = await consume(
      name,
      (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason)
            reject(signal.reason as Error)
          }),
        ),
    )
    const closed = collect(consumer, 'consumer.closed')
    await publish('long')
    await eventually(() => expect(consumer.counts.running).toBe(1))

    await consumer.close({ deadline: 10 })

    expect(reasons).toMatchObject([{ code: 'CONSUMER_CLOSING' }])
    expect(closed).toEqual([{ queue: name, unfinished: 1 }])
    await eventually(async () => expect(await depth(name)).toBe(1))
  })

  it('whose dead letters find no queue keeps the message, pauses, and parks it when it can', async () => {
    const { consume, name, publish, admin, dlq, drain, depth } = await setup({ retry: false })
    const consumer = await consume(
      name,
      () => {
        throw new Error('no')
      },
      { breaker: { openMs: 10 } },
    )
    const failed = collect(consumer, 'settle.failed')
    const breaker = collect(consumer, 'breaker.changed')
    await admin.call(
      { name: 'queue.unbind', queue: dlq, exchange: dlq, routingKey: '', arguments: [] },
      'queue.unbind-ok',
    )

    await publish('kept')
    await eventually(() => expect(failed.length).toBeGreaterThan(1))

    expect(failed[0]).toMatchObject({ result: { kind: 'returned' }, outcome: { kind: 'dead-letter' } })
    expect(breaker[0]).toMatchObject({ from: 'closed', to: 'open' })
    await admin.call(
      { name: 'queue.bind', queue: dlq, exchange: dlq, routingKey: '', noWait: false, arguments: [] },
      'queue.bind-ok',
    )
    await eventually(async () => expect(await depth(dlq)).toBe(1))
    await consumer.close()
    expect(await depth(name)).toBe(0)
    expect(await drain(dlq)).toMatchObject([
      { id: 'id-kept', headers: { 'warren-reason': 'attempts-exhausted' } },
    ])
  })

  it('whose dead letters find a queue again parks all of them, although every handler fails', async () => {
    const { consume, name, publish, admin, dlq, depth } = await setup({ retry: false })
    const binding = { queue: dlq, exchange: dlq, routingKey: '', arguments: [] }
    const consumer = await consume(
      name,
      () => {
        throw new Error('no')
      },
      { concurrency: 2, prefetch: 4, breaker: { failureRatio: undefined, openMs: 5 } },
    )
    const failed = collect(consumer, 'settle.failed')
    const held = collect(consumer, 'delivery.held')
    await admin.call({ name: 'queue.unbind', ...binding }, 'queue.unbind-ok')
    await publish(...Array.from({ length: 20 }, (_, index) => `${index}`))
    await eventually(() => expect(failed.length).toBeGreaterThan(2))

    await admin.call({ name: 'queue.bind', noWait: false, ...binding }, 'queue.bind-ok')

    await eventually(async () => expect(await depth(dlq)).toBe(20))
    expect(consumer.breaker).toBe('closed')
    expect(held).toEqual([])
    await consumer.close()
    expect(await depth(name)).toBe(0)
  })

  it('pauses while everything fails, so that an outage does not empty the queue into the DLQ', async () => {
    const { consume, name, publish, dlq, depth } = await setup({ retry: { delays: [1], maxAttempts: 2 } })
    let isOut = true
    const handled = new Set<unknown>()
    const consumer = await consume(
      name,
      ({ body }) => {
        if (isOut) throw new Error('the database is away')
        handled.add(body)
      },
      {
        concurrency: 1,
        prefetch: 1,
        breaker: { failureRatio: 0.5, minimumResults: 4, openMs: 5, maxOpenMs: 20 },
      },
    )
    const changes = collect(consumer, 'breaker.changed')
    const held = collect(consumer, 'delivery.held')
    const bodies = Array.from({ length: 20 }, (_, index) => `o${index}`)

    await publish(...bodies)
    await eventually(() => expect(held.length).toBeGreaterThan(3))
    const lost = await depth(dlq)
    isOut = false

    await eventually(() => expect(handled.size).toBe(20 - lost))
    expect(lost).toBeLessThanOrEqual(4)
    expect(consumer.breaker).toBe('closed')
    expect(changes.slice(0, 3).map(({ to }) => to)).toEqual(['open', 'probing', 'open'])
    expect(held.every(({ outcome }) => outcome.kind === 'hold' && outcome.why === 'probe-failed')).toBe(true)
  })
})

describe('a message', () => {
  it.each(['quorum', 'classic'] as const)(
    'that was run alone twice and never answered is parked as poison, on a %s queue',
    async (type) => {
      const { consume, name, publish, dlq, drain, depth } = await setup({ type })
      await publish('killer')
      await crashWith(name, depth)
      const seen: unknown[] = []

      for (let round = 0; round < 2; round += 1) {
        const consumer = await consume(name, ({ body }) => new Promise(() => seen.push(body)), {
          poisonLimit: 2,
        })
        await eventually(() => expect(seen).toHaveLength(round + 1))
        await consumer.close({ deadline: 0 })
        await eventually(async () => expect(await depth(name)).toBe(1))
      }
      const consumer = await consume(name, ({ body }) => void seen.push(body), { poisonLimit: 2 })
      const settled = collect(consumer, 'delivery.settled')

      await eventually(async () => expect(await depth(dlq)).toBe(1))
      expect(await drain(dlq)).toMatchObject([{ body: 'killer', headers: { 'warren-reason': 'poison' } }])
      expect(settled.filter(({ outcome }) => outcome.kind === 'dead-letter')).toHaveLength(1)
      expect(seen).toHaveLength(2)
    },
  )

  it.each([
    ['is not JSON', '{"a":', 'undecodable'],
    ['fails its schema', '{"a":1}', 'invalid'],
  ])('that %s is parked at its first attempt', async (_, body, reason) => {
    const { consume, name, publisher, dlq, drain, depth } = await setup()
    const schema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: () => ({ issues: [{ message: 'must be text', path: ['a'] }] }),
      },
    } as const
    await consume(name, () => undefined, { schema })

    await publisher.publish({ key: name, body, contentType: 'application/json' })

    await eventually(async () => expect(await depth(dlq)).toBe(1))
    const [dead] = await drain(dlq)
    expect(dead!.headers).toMatchObject({ 'warren-reason': reason, 'x-final-retry-count': 0 })
  })
})

/** Takes the one message of a queue and dies with it. */
async function crashWith(queue: string, depth: (queue: string) => Promise<number>): Promise<void> {
  const session = await Session.open(broker.url)
  const channel = await session.openChannel()
  await channel.get(queue)
  await session.close()
  await eventually(async () => expect(await depth(queue)).toBe(1))
}
