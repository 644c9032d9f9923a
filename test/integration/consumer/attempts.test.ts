import { afterAll, describe, expect, it } from 'vitest'
import {
  type EmbeddedBroker,
  startEmbeddedBroker,
} from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { parseBrokerVersion } from '../../../packages/warrenmq/src/message/broker-version.ts'
import type { PublishResult } from '../../../packages/warrenmq/src/publisher/publish-result.ts'
import { propertiesWriter } from '../../../packages/warrenmq/src/recovery/put-back/properties-writer.ts'
import type { LayoutChoice } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { collect, createConsumerRig } from './consumer-rig.ts'

const real = await useBroker()
const embedded = new Map<string, EmbeddedBroker>()
for (const profile of ['3.10', '4.0', '4.3'] as const)
  embedded.set(profile, await startEmbeddedBroker({ profile }))
afterAll(async () => {
  for (const broker of embedded.values()) await broker.stop()
})

const { major, minor } = parseBrokerVersion(real.version)
const brokers: readonly (readonly [string, string, string])[] = [
  ...[...embedded].map(([version, { url }]) => [`embedded ${version}`, version, url] as const),
  [`RabbitMQ ${real.version}`, `${major}.${minor}`, real.url],
]
const layouts: readonly LayoutChoice[] = ['warren', 'ratatoskr', 'event-bus', 'freeflow', 'isolated']
let made = 0

type Rig = Awaited<ReturnType<typeof setup>>

/** A queue of three attempts whose every message fails, and the attempts that its handler was told. */
async function setup(url: string, layout: LayoutChoice) {
  made += 1
  const name = layout === 'freeflow' ? `ff${made}.orders` : `svc-${made}`
  const choice = layout === 'freeflow' ? { name: layout, namespace: `ff${made}` } : layout
  const queues = { [name]: { retry: { delays: [5], maxAttempts: 3 } } }
  const rig = await createConsumerRig({ url, declaration: { layout: choice, queues } })
  const flow = rig.flow(name)
  const attempts: number[] = []
  const consumer = await rig.consume(
    name,
    (_, { attempt }) => {
      attempts.push(attempt)
      throw new Error('always')
    },
    { concurrency: 1, prefetch: 1 },
  )
  const settled = collect(consumer, 'delivery.settled')
  const publish = (headers: object = {}) =>
    rig.publisher.publish({ key: flow.queue, body: 'x', messageId: 'm', headers: headers as never })
  /** Waits for the next dead letter and gives the attempts on the way to it. */
  const fall = async (): Promise<number[]> => {
    await eventually(() => expect(settled.at(-1)?.outcome.kind).toBe('dead-letter'))
    await eventually(async () => expect(await rig.depth(flow.deadLetterQueue!)).toBe(1))
    settled.splice(0)
    return attempts.splice(0)
  }
  const version = parseBrokerVersion(rig.consuming.broker.version)
  return { ...rig, flow, publish, fall, version }
}

/** Puts the dead letter back with the properties that a re-drive writes, or as it is. */
async function putBack(
  { admin, publisher, flow, version }: Rig,
  attempts: 'reset' | 'continue' | 'as it is',
) {
  const dead = (await admin.get(flow.deadLetterQueue!))!
  const audit = { id: 'r1', by: 'test', atMs: Date.now(), reason: undefined }
  const properties =
    attempts === 'as it is'
      ? dead.properties
      : propertiesWriter({ audit, attempts, login: undefined, version })(dead.properties, flow)
  const copy = { exchange: '', key: flow.queue, body: dead.body, properties }
  const result = await new Promise<PublishResult>((settle) => publisher.publishEncoded(copy, settle))
  expect(result.kind).toBe('confirmed')
  dead.ack()
}

interface History {
  readonly title: string
  /** Lives the history and gives the attempts of its last life. */
  readonly live: (rig: Rig) => Promise<number[]>
  /** By how the layout counts; a reject loop may differ by version. */
  readonly header: readonly number[]
  readonly rejections: readonly number[] | Readonly<Record<string, readonly number[]>>
}

const histories: readonly History[] = [
  {
    title: 'is fresh',
    live: async ({ publish, fall }) => {
      await publish()
      return fall()
    },
    header: [1, 2, 3],
    rejections: [1, 2, 3],
  },
  {
    title: 'is a dead letter put back with its count reset',
    live: async (rig) => {
      await rig.publish()
      await rig.fall()
      await putBack(rig, 'reset')
      return rig.fall()
    },
    header: [1, 2, 3],
    rejections: [1, 2, 3],
  },
  {
    title: 'is a dead letter put back with its count continued',
    live: async (rig) => {
      await rig.publish()
      await rig.fall()
      await putBack(rig, 'continue')
      return rig.fall()
    },
    header: [4],
    rejections: [4],
  },
  {
    title: 'is a dead letter put back twice, first with its count reset and then continued',
    live: async (rig) => {
      await rig.publish()
      await rig.fall()
      await putBack(rig, 'reset')
      await rig.fall()
      await putBack(rig, 'continue')
      return rig.fall()
    },
    header: [4],
    rejections: [4],
  },
  {
    title: 'is a dead letter moved back as it is, by a tool that knows nothing of attempts',
    live: async (rig) => {
      await rig.publish()
      await rig.fall()
      await putBack(rig, 'as it is')
      return rig.fall()
    },
    header: [4],
    rejections: [4],
  },
  {
    title: 'came with a count of its publisher in the header of the layout',
    live: async ({ publish, fall, flow }) => {
      await publish({ [flow.headers.attempts]: 1 })
      return fall()
    },
    header: [2, 3],
    rejections: [2, 3],
  },
  {
    title: 'came with an x-death of its publisher',
    live: async ({ publish, fall, flow: { queue } }) => {
      const death = { queue, reason: 'rejected', count: 1n, exchange: '', 'routing-keys': [queue] }
      await publish({ 'x-death': [{ ...death, time: new Date(1_600_000_000_000) }] })
      return fall()
    },
    header: [1, 2, 3],
    // Older brokers count on from it, so it has to be believed there; newer ones drop it at the next death.
    rejections: { '3.10': [2, 3], '4.0': [1, 2, 3], '4.3': [1, 2, 3] },
  },
]

describe.each(brokers)('on %s', (_, version, url) => {
  describe.each(layouts)('in layout %s', (layout) => {
    it.each(histories.map((history) => [history.title, history] as const))(
      'a message that %s is tried as often as it should',
      async (__, history) => {
        const rig = await setup(url, layout)

        const attempts = await history.live(rig)

        const { header, rejections } = history
        const ofLoop = Array.isArray(rejections)
          ? rejections
          : (rejections as Record<string, readonly number[]>)[version]
        expect(attempts).toEqual(rig.flow.attempts.kind === 'header' ? header : ofLoop)
        expect(await rig.depth(rig.flow.queue)).toBe(0)
        expect(await rig.depth(rig.flow.deadLetterQueue!)).toBe(1)
      },
    )
  })
})
