import { expect, it, onTestFinished } from 'vitest'
import { connect, defineTopology } from '../../../packages/warrenmq/src/index.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { collect } from './consumer-rig.ts'

const broker = await useBroker()
const retry = { delays: [10], maxAttempts: 2 } as const
const topology = defineTopology({
  queues: {
    paused: { retry },
    quick: { retry },
    twice: { retry },
    closed: { retry },
    shared: { type: 'classic', deadLetter: false },
    log: { type: 'stream', deadLetter: false },
  },
})

async function setup() {
  const warren = await connect(broker.url, { topology, managementUrl: 'http://127.0.0.1:1' })
  onTestFinished(() => warren.close())
  await warren.apply()
  const depth = async (queue: string) => {
    const { messages = 0 } = await broker.management<{ messages?: number }>(
      'GET',
      `/api/queues/${encodeURIComponent(broker.vhost)}/${queue}`,
    )
    return messages
  }
  return { warren, publisher: warren.publisher(), depth }
}

/** A handler whose calls end when the test says so. */
function createGate() {
  const seen: unknown[] = []
  let open = (): void => undefined
  let gate = new Promise<void>((resolve) => {
    open = resolve
  })
  return {
    seen,
    open: () => open(),
    openForAll: () => {
      open()
      gate = Promise.resolve()
    },
    handler: async ({ id }: { id: string | undefined }) => {
      seen.push(id)
      await gate
    },
  }
}

it('a pause lets what runs end, gives the rest to others, and a resume goes on', async () => {
  const { warren, publisher } = await setup()
  const gate = createGate()
  const consumer = await warren.consume('paused', gate.handler, { concurrency: 2, prefetch: 10 })
  const [settled, paused, resumed] = [
    collect(consumer, 'delivery.settled'),
    collect(consumer, 'consumer.paused'),
    collect(consumer, 'consumer.resumed'),
  ]
  await publisher.publishMany([0, 1, 2, 3, 4].map((id) => ({ key: 'paused', messageId: `m${id}`, body: id })))
  await eventually(() => expect(consumer.counts).toMatchObject({ running: 2, waiting: 3 }))

  const isPaused = consumer.pause()
  await eventually(() => expect(paused).toHaveLength(1))
  expect(consumer.isPaused).toBe(true)
  expect(consumer.isStarted).toBe(false)
  expect(consumer.counts).toEqual({ running: 2, waiting: 0, held: 0 })
  expect(warren.health()).toMatchObject({
    isHealthy: true,
    consumers: [{ queue: 'paused', state: 'paused' }],
  })
  gate.openForAll()
  await isPaused

  expect(settled.filter(({ outcome }) => outcome.kind === 'acknowledge')).toHaveLength(2)
  const others: (string | undefined)[] = []
  const other = await warren.consume('paused', ({ id }) => void others.push(id))
  await eventually(() => expect(others.toSorted()).toEqual(['m2', 'm3', 'm4']))
  await other.close()

  await consumer.resume()
  expect(resumed).toHaveLength(1)
  await publisher.publish({ key: 'paused', messageId: 'm5', body: 5 })
  await eventually(() => expect(gate.seen).toContain('m5'))
  expect(warren.health()).toMatchObject({ isHealthy: true, consumers: [{ state: 'receiving' }] })
})

it('a resume that comes at once is a pause that gave a few messages back', async () => {
  const { warren, publisher } = await setup()
  const seen = new Set<string | undefined>()
  const consumer = await warren.consume('quick', ({ id }) => void seen.add(id), { prefetch: 20 })
  const ids = Array.from({ length: 200 }, (_, index) => `m${index}`)

  const published = publisher.publishMany(ids.map((messageId) => ({ key: 'quick', messageId, body: {} })))
  for (let round = 0; round < 10; round += 1) await Promise.all([consumer.pause(), consumer.resume()])
  await published

  await eventually(() => expect(seen.size).toBe(200))
  expect(consumer.isStarted).toBe(true)
})

it('a pause twice is one, and so is a resume', async () => {
  const { warren, publisher } = await setup()
  const seen: unknown[] = []
  const consumer = await warren.consume('twice', ({ id }) => void seen.push(id))

  await consumer.resume()
  await Promise.all([consumer.pause(), consumer.pause()])
  await publisher.publish({ key: 'twice', messageId: 'm1', body: {} })
  await Promise.all([consumer.resume(), consumer.resume()])

  await eventually(() => expect(seen).toEqual(['m1']))
})

it('a paused consumer closes without waiting for its deadline', async () => {
  const { warren, publisher, depth } = await setup()
  const consumer = await warren.consume('closed', () => undefined)
  await consumer.pause()
  await publisher.publish({ key: 'closed', body: {} })

  await consumer.close()
  await consumer.resume()

  expect(consumer.isStarted).toBe(false)
  await eventually(async () => expect(await depth('closed')).toBe(1))
})

it('an exclusive consumer keeps others out until it leaves', async () => {
  const { warren } = await setup()
  const first = await warren.consume('shared', () => undefined, { exclusive: true })
  const secondStarts = warren.consume('shared', () => undefined)
  let isStarted = false
  void secondStarts.then(() => {
    isStarted = true
  })
  await eventually(() =>
    expect(warren.health().consumers).toMatchObject([{ state: 'receiving' }, { state: 'starting' }]),
  )
  expect(isStarted).toBe(false)

  await first.close()

  expect((await secondStarts).isStarted).toBe(true)
})

it('a stream is read from where it is asked for, and on behind a pause from where it was', async () => {
  const { warren, publisher } = await setup()
  const publish = (from: number, to: number) =>
    publisher.publishMany(
      Array.from({ length: to - from }, (_, at) => ({ key: 'log', messageId: `m${from + at}`, body: {} })),
    )
  await publish(0, 5)
  const seen: (string | undefined)[] = []
  const consumer = await warren.consume('log', ({ id }) => void seen.push(id), {
    streamOffset: 2,
    deliveryLimit: false,
  })
  await eventually(() => expect(seen).toEqual(['m2', 'm3', 'm4']))
  await eventually(() => expect(consumer.counts.running).toBe(0))

  await consumer.pause()
  await publish(5, 8)
  await consumer.resume()

  await eventually(() => expect(seen).toEqual(['m2', 'm3', 'm4', 'm5', 'm6', 'm7']))
  const all: (string | undefined)[] = []
  await warren.consume('log', ({ id }) => void all.push(id), { streamOffset: 'first' })
  await eventually(() => expect(all).toHaveLength(8))
})

it('streamOffset is refused on other queues', async () => {
  const { warren } = await setup()

  await expect(warren.consume('quick', () => undefined, { streamOffset: 'first' })).rejects.toThrow(
    'streamOffset is for streams, and "quick" is a quorum queue.',
  )
  await expect(warren.consume('log', () => undefined, { streamOffset: 'soon' })).rejects.toThrow(
    "streamOffset is 'soon'; it must be 'first', 'last', 'next'",
  )
})
