import { describe, expect, it } from 'vitest'
import type { Handler } from '../../packages/warrenmq/src/consumer/handler.ts'
import { defer, reject } from '../../packages/warrenmq/src/consumer/handler-answer.ts'
import type { CutPoint } from '../../packages/warrenmq/src/embedded/server/faults.ts'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import type { TopologyDeclaration } from '../../packages/warrenmq/src/topology/declaration.ts'
import { type ConsumerRig, createConsumerRig } from '../integration/consumer/consumer-rig.ts'
import { eventually } from '../support/eventually.ts'
import { cutPoints } from './cut-points.ts'

const layouts = ['warren', 'ratatoskr', 'event-bus', 'freeflow', 'isolated'] as const
const bodies = ['works', 'waits', 'fails-once', 'fails-always', 'is-rejected'] as const

/** What happened to the messages by the time that nothing was under way any more. */
interface Ledger {
  readonly wasCut: boolean
  readonly handled: readonly string[]
  readonly dead: readonly string[]
  readonly leftOver: number
}

interface Story {
  readonly profile: '3.10' | '4.0' | '4.3'
  readonly layout: (typeof layouts)[number]
  readonly point: CutPoint
  readonly nth: number
}

/** Plays the story on a broker of its own, with a connection cut at the n-th time that a frame comes to the point. */
async function play({ profile, layout, point, nth }: Story): Promise<Ledger> {
  const broker = await startEmbeddedBroker({ profile, clock: 'virtual' })
  const name = layout === 'freeflow' ? 'freeflow.q' : 'svc-a'
  const declaration: TopologyDeclaration = {
    layout,
    queues: { [name]: { retry: { delays: ['5s'], maxAttempts: 2 } } },
  }
  const rig = await createConsumerRig({ url: broker.url, declaration })
  const flow = rig.flow(name)
  for (const body of bodies) await rig.publisher.publish({ key: flow.queue, body, messageId: body })
  const handled: string[] = []
  let wasCut = false
  void broker.faults.cutConnection(point, { nth }).then(() => {
    wasCut = true
  })

  // Acks of a small prefetch leave at once, so that they are on their way when the broker falls quiet. With no more of
  // it than there are handlers nothing is held, and what is deferred goes to a wait queue.
  const consumer = await rig.consume(name, record(handled), {
    concurrency: 3,
    prefetch: 3,
    breaker: { failureRatio: undefined, openMs: 5 },
  })
  await eventually(
    async () => {
      await broker.clock.advance('6s')
      await broker.settled()
      expect(await unsettled(rig, name)).toBe(0)
      expect(consumer.counts).toEqual({ running: 0, waiting: 0, held: 0 })
      expect(new Set(handled)).toEqual(new Set(['works', 'waits', 'fails-once']))
      expect(await rig.depth(flow.deadLetterQueue!)).toBeGreaterThanOrEqual(2)
    },
    { intervalMs: 2, what: `${layout} cut ${point} #${nth}` },
  )
  await consumer.close()
  const leftOver = await unsettled(rig, name)
  const dead = (await rig.drain(flow.deadLetterQueue!)).map(({ id }) => id!)
  await rig.close()
  await broker.stop()
  return { wasCut, handled, dead, leftOver }
}

function record(handled: string[]): Handler {
  return ({ body, headers }, { attempt }) => {
    if (body === 'is-rejected') return reject('never')
    if (body === 'waits' && headers['warren-deferred-until'] === undefined) return defer(1)
    if (body === 'fails-always' || (body === 'fails-once' && attempt === 1)) throw new Error('not now')
    handled.push(body as string)
    return undefined
  }
}

async function unsettled(rig: ConsumerRig, name: string): Promise<number> {
  const { queue, waitQueues } = rig.flow(name)
  let sum = 0
  for (const each of [queue, ...waitQueues]) sum += await rig.depth(each)
  return sum
}

const timesOf = (ids: readonly string[], id: string) => ids.filter((each) => each === id).length

describe.each(['3.10', '4.0', '4.3'] as const)('on RabbitMQ %s', (profile) => {
  it.each(layouts)(
    'layout %s loses nothing, wherever the connection is cut',
    { timeout: 240_000 },
    async (layout) => {
      let cuts = 0
      for (const point of cutPoints) {
        for (let nth = 1, wasCut = true; wasCut; nth += 1) {
          const ledger = await play({ profile, layout, point, nth })
          wasCut = ledger.wasCut
          cuts += wasCut ? 1 : 0

          const { handled, dead, leftOver } = ledger
          expect(leftOver, `${point} #${nth}`).toBe(0)
          expect(new Set(dead)).toEqual(new Set(['fails-always', 'is-rejected']))
          // One cut can repeat what was in flight, and only under the same id.
          for (const id of bodies) expect(timesOf(handled, id) + timesOf(dead, id)).toBeLessThanOrEqual(2)
          if (!wasCut) expect([...handled, ...dead].toSorted()).toEqual(bodies.toSorted())
        }
      }
      expect(cuts).toBeGreaterThan(5)
    },
  )
})
