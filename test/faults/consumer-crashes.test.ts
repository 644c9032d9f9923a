import { expect, it, onTestFinished } from 'vitest'
import type { QueueDeclaration } from '../../packages/warrenmq/src/topology/declaration.ts'
import { createConsumerRig } from '../integration/consumer/consumer-rig.ts'
import { eventually } from '../support/eventually.ts'
import { createVhost } from '../support/use-broker.ts'
import { type CrashTask, liveOnce, type ProcessLife } from './crash-again.ts'

const limits = { timeout: 400_000 }

async function setup(queue: QueueDeclaration, task: Pick<CrashTask, 'options' | 'how'>) {
  const broker = await createVhost()
  onTestFinished(() => broker.drop())
  const declaration = { queues: { work: queue } }
  const rig = await createConsumerRig({ url: broker.url, declaration })
  const dlq = rig.flow('work').deadLetterQueue
  const publish = async (...ids: string[]) => {
    for (const messageId of ids) await rig.publisher.publish({ key: 'work', body: messageId, messageId })
  }
  /** Ids that are in the queue and in the dead-letter queue, once nobody has any of them. */
  const left = async () => {
    const idsIn = async (name: string) => (await rig.drain(name)).map(({ id }) => id!)
    return { queue: await idsIn('work'), parked: dlq === undefined ? [] : await idsIn(dlq) }
  }
  const neverDone = () => Promise.resolve(false)
  const live = (isDone: (handled: readonly string[]) => Promise<boolean> = neverDone) =>
    liveOnce({ url: broker.url, declaration, queue: 'work', ...task }, isDone)
  /** The broker has back what a process had in hand. */
  const returned = (count: number) =>
    eventually(async () => expect(await rig.depth('work')).toBeGreaterThanOrEqual(count))
  return { ...rig, publish, left, live, returned }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`)

const repeated = (ids: readonly string[]) => ids.filter((id, index) => ids.indexOf(id) !== index)

const quorum = { type: 'quorum' } as const
const classic = { type: 'classic' } as const
const plain = { deadLetter: false } as const

it.each([
  ['a plain classic queue', { ...classic, ...plain }],
  ['a plain quorum queue', { ...quorum, ...plain }],
])(
  'a message that kills its process 25 times leaves one copy of itself and takes no done one along, on %s',
  limits,
  async (_, queue) => {
    const ids = numbered(30)
    const { publish, left, live, returned } = await setup(queue, { options: {}, how: { kind: 'by-poison' } })
    await publish(...ids.slice(0, 15), 'poison', ...ids.slice(15))

    const handled: string[] = []
    for (let crash = 0; crash < 25; crash += 1) {
      const life = await live()
      expect(life.hasCrashed).toBe(true)
      handled.push(...life.handled)
      await returned(1)
    }

    const { queue: inQueue } = await left()
    // Only those that started together with its first delivery may have run twice.
    expect(repeated(handled).length).toBeLessThan(10)
    const rest = ids.filter((id) => !handled.includes(id))
    expect(inQueue.toSorted()).toEqual(['poison', ...rest].toSorted())
  },
)

it.each([
  ['a classic queue', classic],
  ['a quorum queue', quorum],
])(
  'a message that kills its process is parked after ten runs alone, and all others are handled, on %s',
  limits,
  async (_, queue) => {
    const ids = numbered(30)
    const rig = await setup(queue, { options: {}, how: { kind: 'by-poison' } })
    const { publish, left, live, returned, depth } = rig
    await publish(...ids.slice(0, 15), 'poison', ...ids.slice(15))

    const lives: ProcessLife[] = []
    for (let hasCrashed = true; hasCrashed && lives.length < 40; ) {
      const before = lives.flatMap((life) => life.handled)
      const life = await live(async (handled) => {
        const done = new Set([...before, ...handled])
        return done.size === ids.length && (await depth('work.dlq')) > 0
      })
      lives.push(life)
      hasCrashed = life.hasCrashed
      if (hasCrashed) await returned(1)
    }

    expect(await left()).toEqual({ queue: [], parked: ['poison'] })
    const handled = lives.flatMap((life) => life.handled)
    expect([...new Set(handled)].toSorted()).toEqual(ids.toSorted())
    expect(repeated(handled).length).toBeLessThan(10)
    const runs = lives.flatMap(({ seen }) => seen.filter((id) => id === 'poison')).length
    expect(runs).toBe(lives.length - 1)
    // Five deliveries among others make it a suspect.
    expect(runs).toBe(15)
  },
)

it.each([
  ['a classic queue', classic],
  ['a quorum queue', quorum],
])(
  'a service that crashes 13 times for its own reasons loses and parks nothing that it had in hand, on %s',
  limits,
  async (_, queue) => {
    const ids = numbered(100)
    const options = { concurrency: 10, prefetch: 100, timeout: '30s' } as const
    const how = { kind: 'by-itself', afterMs: 1_000 } as const
    const { publish, left, live, returned } = await setup(queue, { options, how })
    await publish(...ids)

    for (let crash = 0; crash < 13; crash += 1) {
      expect((await live()).hasCrashed).toBe(true)
      await returned(ids.length)
    }

    const { queue: inQueue, parked } = await left()
    expect(parked).toEqual([])
    expect([...new Set(inQueue)].toSorted()).toEqual(ids.toSorted())
    expect(repeated(inQueue)).toEqual([])
  },
)

it.each([
  ['a classic queue', classic],
  ['a quorum queue', quorum],
])(
  'a process that ends a turn after its handler began leaves two of no more failed messages than run at a time, on %s',
  limits,
  async (_, queue) => {
    const [crashes, concurrency] = [3, 5]
    const retry = { delays: ['1h'], maxAttempts: 50 } as const
    const task = { options: { concurrency }, how: { kind: 'by-poison-later' } } as const
    const { publish, live, returned, drain, flow } = await setup({ ...queue, retry }, task)
    const [wait] = flow('work').waitQueues
    const ids: string[] = []
    for (let crash = 0; crash < crashes; crash += 1) {
      const failing = numbered(3 * concurrency).map((id) => `fail-${crash}-${id}`)
      const fresh = [...failing.slice(0, 2), `poison-${crash}`, ...failing.slice(2)]
      ids.push(...fresh)
      await publish(...fresh)
      expect((await live()).hasCrashed).toBe(true)
      await returned(1)
    }

    const found: string[] = []
    await eventually(async () => {
      for (const name of ['work', wait!]) found.push(...(await drain(name)).map(({ id }) => id!))
      expect([...new Set(found)].toSorted()).toEqual(ids.toSorted())
    })
    expect(found.length - ids.length).toBeLessThanOrEqual(crashes * concurrency)
  },
)
