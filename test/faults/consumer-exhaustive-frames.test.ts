import { expect, it } from 'vitest'
import { parseAmqpUrl } from '../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { Session } from '../../packages/warrenmq/src/broker/amqp/session.ts'
import type { Consumer } from '../../packages/warrenmq/src/consumer/consumer.ts'
import type { Handler } from '../../packages/warrenmq/src/consumer/handler.ts'
import { defer, reject } from '../../packages/warrenmq/src/consumer/handler-answer.ts'
import type { ConsumerEvents } from '../../packages/warrenmq/src/consumer/observe/consumer-events.ts'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import type { TopologyDeclaration } from '../../packages/warrenmq/src/topology/declaration.ts'
import { collect, createConsumerRig } from '../integration/consumer/consumer-rig.ts'
import { eventually } from '../support/eventually.ts'
import { startProxy } from '../support/start-proxy.ts'
import { stormFactor } from './consumer-storm-topology.ts'

/** A classic queue counts no deliveries, so a redelivered message is recounted there; `plain` has a delivery limit of 2. */
const declaration: TopologyDeclaration = {
  queues: {
    work: { type: 'classic', retry: { delays: ['5s'], maxAttempts: 2 } },
    plain: { deadLetter: false },
  },
}
const queues = ['work', 'work.retry.5s', 'plain'] as const
const handledIds = ['crashed', 'waits', 'fails-once', 'near-limit'] as const
const deadIds = ['is-rejected'] as const

/** Frames of messages and their settlement: methods and headers of the class basic, and bodies. */
const frames = (['to-broker', 'to-client'] as const).flatMap((direction) => [
  { direction, classId: 60 },
  { direction, frameType: 3 },
])
const places = ['before', 'middle', 'after'] as const
const profiles = stormFactor > 1 ? (['3.10', '4.0', '4.3'] as const) : (['4.0'] as const)

interface Story {
  readonly profile: (typeof profiles)[number]
  readonly frame: (typeof frames)[number]
  readonly where: (typeof places)[number]
  readonly nth: number
}

interface Ledger {
  readonly wasCut: boolean
  readonly handled: readonly string[]
  readonly dead: readonly string[]
  readonly outcomes: readonly string[]
}

/** Plays the story on a broker of its own, with the connection cut at the n-th of the frames. */
async function play({ profile, frame, where, nth }: Story): Promise<Ledger> {
  const broker = await startEmbeddedBroker({ profile, clock: 'virtual' })
  const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
  const url = proxy.urlFor(broker.url)
  const rig = await createConsumerRig({ url: broker.url, consumingUrl: url, publishingUrl: url, declaration })
  const publish = (key: string, id: string) => rig.publisher.publish({ key, body: id, messageId: id })
  await publish('work', 'crashed')
  await publish('plain', 'near-limit')
  await dropUnanswered(broker.url, ['work', 'plain'])
  for (const id of ['waits', 'fails-once', 'is-rejected']) await publish('work', id)
  const handled: string[] = []
  let wasCut = false
  void proxy.cutAtFrame({ ...frame, nth, where }).then(() => {
    wasCut = true
  })

  const options = { concurrency: 2, prefetch: 2, breaker: { failureRatio: undefined, openMs: 5 } }
  const consumers: Consumer[] = []
  const settled: ConsumerEvents['delivery.settled'][][] = []
  for (const [queue, more] of [['work'], ['plain', { deliveryLimit: 2 }]] as const) {
    const consumer = await rig.consume(queue, record(handled), { ...options, ...more })
    settled.push(collect(consumer, 'delivery.settled'))
    consumers.push(consumer)
  }
  await eventually(
    async () => {
      await broker.clock.advance('6s')
      await broker.settled()
      expect(consumers.map(({ counts }) => counts)).toEqual(consumers.map(() => idle))
      for (const queue of queues) expect(await rig.depth(queue)).toBe(0)
      expect(new Set(handled)).toEqual(new Set(handledIds))
      expect(await rig.depth('work.dlq')).toBeGreaterThan(0)
    },
    { intervalMs: 2, what: JSON.stringify({ frame, where, nth }) },
  )
  await closeAll(consumers)
  const dead = (await rig.drain('work.dlq')).map(({ id }) => id!)
  for (const queue of queues) expect(await rig.depth(queue)).toBe(0)
  await rig.close()
  proxy.close()
  await broker.stop()
  return { wasCut, handled, dead, outcomes: settled.flat().map(({ outcome }) => outcome.kind) }
}

const idle = { running: 0, waiting: 0, held: 0 }

const closeAll = (consumers: readonly Consumer[]) => Promise.all(consumers.map((each) => each.close()))

/** Takes the one message of each queue and dies with it. */
async function dropUnanswered(url: string, of: readonly string[]): Promise<void> {
  const session = await Session.open(url)
  const channel = await session.openChannel()
  for (const queue of of) await channel.get(queue)
  await session.close()
}

function record(handled: string[]): Handler {
  return ({ id, headers }, { attempt }) => {
    if (id === 'is-rejected') return reject('never')
    // As many are held as there is room for, which is none: it goes to the wait queue.
    if (id === 'waits' && headers['warren-deferred-until'] === undefined) return defer(1)
    if (id === 'fails-once' && attempt === 1) throw new Error('not now')
    handled.push(id!)
    return undefined
  }
}

const timesOf = (ids: readonly string[], id: string) => ids.filter((each) => each === id).length

it.each(profiles)(
  'recounts, deferrals, retries and dead letters lose nothing, wherever a frame is cut (%s)',
  { timeout: 400_000 },
  async (profile) => {
    let cuts = 0
    for (const frame of frames) {
      for (const where of places) {
        for (let nth = 1, wasCut = true; wasCut; nth += 1) {
          const ledger = await play({ profile, frame, where, nth })
          wasCut = ledger.wasCut
          cuts += wasCut ? 1 : 0

          const { handled, dead, outcomes } = ledger
          expect(new Set(dead)).toEqual(new Set(deadIds))
          // One cut can repeat what was in flight, and only under the same id.
          for (const id of [...handledIds, ...deadIds])
            expect(timesOf(handled, id) + timesOf(dead, id), `${id}: ${where} #${nth}`).toBeLessThanOrEqual(2)
          if (wasCut) continue
          expect(handled.toSorted()).toEqual(handledIds.toSorted())
          expect(dead).toEqual(deadIds)
          expect(outcomes.toSorted()).toEqual(undisturbed.toSorted())
        }
      }
    }
    expect(cuts).toBeGreaterThan(100)
  },
)

/** Every path by which a message is published was taken. */
const undisturbed = [
  ...['recount', 'recount', 'defer', 'retry', 'dead-letter'],
  ...handledIds.map(() => 'acknowledge'),
]
