import { type ChannelModel, connect } from 'amqplib'
import { expect, it } from 'vitest'
import type { CutPoint } from '../../packages/warrenmq/src/embedded/server/faults.ts'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { defer, defineTopology, reject, retrying } from '../../packages/warrenmq/src/index.ts'
import { createConsumerRig } from '../integration/consumer/consumer-rig.ts'
import { eventually } from '../support/eventually.ts'
import { cutPoints } from './cut-points.ts'

const layouts = ['warren', 'isolated'] as const
const bodies = ['works', 'waits', 'fails-once', 'fails-always', 'is-rejected'] as const

interface Story {
  readonly layout: (typeof layouts)[number]
  readonly point: CutPoint
  readonly nth: number
}

/** Plays the story with a service on amqplib whose connection is cut at the n-th frame that comes to the point. */
async function play({ layout, point, nth }: Story) {
  const broker = await startEmbeddedBroker({ profile: '4.0', clock: 'virtual' })
  const queue = 'svc-a'
  const topology = defineTopology({
    layout,
    queues: { [queue]: { retry: { delays: ['5s'], maxAttempts: 2 } } },
  })
  const rig = await createConsumerRig({ url: broker.url, declaration: topology })
  for (const body of bodies) await rig.publisher.publish({ key: queue, body, messageId: body })
  const handled: string[] = []
  const waited = new Set<unknown>()
  let wasCut = false
  void broker.faults.cutConnection(point, { nth }).then(() => {
    wasCut = true
  })

  const service = keepConsuming(broker.url, async (connection) => {
    const channel = await connection.createConfirmChannel()
    channel.on('error', () => {})
    await channel.prefetch(3)
    const onMessage = retrying(channel, { topology, queue }, (_, { attempt, message: { body } }) => {
      if (body === 'is-rejected') return reject('never')
      if (body === 'waits' && !waited.has(body)) return waited.add(body) && defer(1)
      if (body === 'fails-always' || (body === 'fails-once' && attempt === 1)) throw new Error('not now')
      handled.push(body as string)
      return undefined
    })
    await channel.consume(queue, onMessage)
  })
  const flow = rig.flow(queue)
  const unsettled = () =>
    [queue, ...flow.waitQueues]
      .map((name) => broker.inspect(name)!.counts)
      .reduce((sum, { ready, unacknowledged }) => sum + ready + unacknowledged, 0)
  await eventually(
    async () => {
      await broker.clock.advance('6s')
      await broker.settled()
      expect(unsettled()).toBe(0)
      expect(new Set(handled)).toEqual(new Set(['works', 'waits', 'fails-once']))
    },
    { intervalMs: 2, what: `${layout} cut ${point} #${nth}` },
  )
  await service.stop()
  const dead = (await rig.drain(flow.deadLetterQueue!)).map(({ id }) => id!)
  await rig.close()
  await broker.stop()
  return { wasCut, handled, dead }
}

/** As a service on amqplib does it: connects again, and consumes again, until it is stopped. */
function keepConsuming(url: string, consume: (connection: ChannelModel) => Promise<void>) {
  let current: ChannelModel | undefined
  let isStopped = false
  const begin = async (): Promise<void> => {
    if (isStopped) return
    try {
      current = await connect(url)
      current.on('error', () => {})
      current.on('close', () => void begin())
      await consume(current)
    } catch {
      if (!current) setImmediate(() => void begin()) // cut before it was there; else its end begins anew
    }
  }
  void begin()
  return {
    stop: async () => {
      isStopped = true
      await current?.close().catch(() => {})
    },
  }
}

const timesOf = (ids: readonly string[], id: string) => ids.filter((each) => each === id).length

it.each(layouts)(
  'a wrapped callback in layout %s loses nothing, wherever its connection is cut',
  async (layout) => {
    let cuts = 0
    for (const point of cutPoints) {
      for (let nth = 1, wasCut = true; wasCut; nth += 1) {
        const ledger = await play({ layout, point, nth })
        wasCut = ledger.wasCut
        cuts += wasCut ? 1 : 0

        const { handled, dead } = ledger
        expect(new Set(dead), `${point} #${nth}`).toEqual(new Set(['fails-always', 'is-rejected']))
        // One cut can repeat what was in flight, and only under the same id.
        for (const id of bodies) expect(timesOf(handled, id) + timesOf(dead, id)).toBeLessThanOrEqual(2)
        if (!wasCut) expect([...handled, ...dead].toSorted()).toEqual(bodies.toSorted())
      }
    }
    expect(cuts).toBeGreaterThan(5)
  },
)
