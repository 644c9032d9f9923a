import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseAmqpUrl } from '../../src/broker/amqp/parse-amqp-url.ts'
import { Session } from '../../src/broker/amqp/session.ts'
import type { Consumer } from '../../src/consumer/consumer.ts'
import { startConsumer } from '../../src/consumer/start-consumer.ts'
import { type ConsumerRig, createConsumerRig } from '../integration/consumer/consumer-rig.ts'
import { eventually } from '../support/eventually.ts'
import { startProxy } from '../support/start-proxy.ts'
import { startRabbitNode } from '../support/start-rabbit-node.ts'
import { createVhost } from '../support/use-broker.ts'
import { testWithNode } from '../support/with-node.ts'
import {
  awaitConservation,
  publishAll,
  type StormLayout,
  stormHandler,
  stormQueue,
  stormTopology,
} from './consumer-storm.ts'

async function setup(layout: StormLayout) {
  const broker = await createVhost()
  onTestFinished(() => broker.drop())
  const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
  onTestFinished(() => proxy.close())
  const url = proxy.urlFor(broker.url)
  const declaration = stormTopology(layout)
  const rig = await createConsumerRig({ url: broker.url, consumingUrl: url, publishingUrl: url, declaration })
  return { ...rig, broker, proxy, flow: rig.flow(stormQueue) }
}

const countOf = (ids: readonly string[]) => ids.length - new Set(ids).size

describe.each(['warren', 'event-bus'] as const)('layout %s on a real broker', (layout) => {
  it('loses nothing when its connections are cut again and again under load', {
    timeout: 180_000,
  }, async () => {
    const { consume, publisher, flow, proxy, ...rig } = await setup(layout)
    const handled: string[] = []
    const options = { concurrency: 10, prefetch: 40, poisonLimit: false } as const
    const consumer = await consume(
      stormQueue,
      stormHandler((id) => handled.push(id)),
      options,
    )
    const publishing = publishAll(publisher, flow.queue, 2_000)

    for (const [direction, methodId] of cutFrames) {
      await proxy.cutAtFrame({ direction, classId: 60, methodId, nth: 20, where: 'middle' })
    }
    const ids = await publishing
    const dead = await awaitConservation(rig, { ids, handled, dlq: flow.deadLetterQueue! })

    await consumer.close()
    // A cut can repeat what was in flight on its connection and nothing else.
    expect(countOf([...handled, ...dead])).toBeLessThanOrEqual(cutFrames.length * options.prefetch)
  })
})

/** Deliveries and confirms on their way to us, acks and copies on their way to the broker. */
const cutFrames = [
  ['to-client', 60],
  ['to-broker', 80],
  ['to-client', 60],
  ['to-broker', 80],
] as const

it('a rolling restart of three consumers under load loses nothing and does nothing twice', {
  timeout: 180_000,
}, async () => {
  const { broker, flow, publisher, ...rig } = await setup('warren')
  const handled: string[] = []
  const start = async () => {
    const sessions = [await Session.open(broker.url), await Session.open(broker.url)] as const
    const [consuming, publishing] = sessions
    const handler = stormHandler((id) => handled.push(id))
    const options = { concurrency: 10, prefetch: 40 }
    const consumer = startConsumer({ consuming, publishing, flow, handler, options })
    await consumer.whenStarted()
    return {
      consumer,
      stop: async () => {
        await consumer.close()
        await Promise.all(sessions.map((session) => session.close()))
      },
    }
  }
  const running = await Promise.all([start(), start(), start()])
  const publishing = publishAll(publisher, flow.queue, 3_000)

  for (let restart = 0; restart < 6; restart += 1) {
    await eventually(() => expect(handled.length).toBeGreaterThan((restart + 1) * 150), { intervalMs: 1 })
    const [oldest] = running.splice(0, 1)
    running.push(await start())
    await oldest!.stop()
  }
  const ids = await publishing
  const dead = await awaitConservation(rig, { ids, handled, dlq: flow.deadLetterQueue! })

  await Promise.all(running.map(({ stop }) => stop()))
  expect([...handled, ...dead].toSorted()).toEqual(ids.toSorted())
  expect(await rig.depth(flow.queue)).toBe(0)
})

it('consumers killed -9 under load lose nothing', { timeout: 180_000 }, async () => {
  const { broker, flow, publisher, ...rig } = await setup('warren')
  const handled: string[] = []
  const spawned: ReturnType<typeof spawnConsumer>[] = []
  onTestFinished(() => {
    for (const child of spawned) child.kill('SIGKILL')
  })
  const begin = () => spawned.push(spawnConsumer(broker.url, (id) => handled.push(id)))
  begin()
  const ids = await publishAll(publisher, flow.queue, 1_500)

  for (let kill = 1; kill <= 3; kill += 1) {
    await eventually(() => expect(handled.length).toBeGreaterThan(kill * 200), {
      timeoutMs: 60_000,
      intervalMs: 1,
    })
    begin()
    const victim = spawned.at(-2)!
    victim.kill('SIGKILL')
    await once(victim, 'exit')
  }
  const dead = await awaitConservation(rig, { ids, handled, dlq: flow.deadLetterQueue! })

  expect(countOf([...handled, ...dead])).toBeLessThanOrEqual(3 * 60)
})

testWithNode(
  'a broker killed -9 and started again under load loses nothing',
  { timeout: 240_000 },
  async () => {
    const node = await startRabbitNode()
    onTestFinished(() => node.destroy())
    const rig: ConsumerRig = await createConsumerRig({
      url: node.amqpUrl,
      declaration: stormTopology('warren'),
    })
    const flow = rig.flow(stormQueue)
    const handled: string[] = []
    // A quorum queue that is younger than this can lose its registration to a kill -9 (measured).
    await sleep(6_000)
    const options = { concurrency: 10, prefetch: 40, poisonLimit: false } as const
    const consumer: Consumer = await rig.consume(
      stormQueue,
      stormHandler((id) => handled.push(id)),
      options,
    )
    const publishing = publishAll(rig.publisher, flow.queue, 2_000)

    await eventually(() => expect(handled.length).toBeGreaterThan(200), { intervalMs: 1, timeoutMs: 30_000 })
    await node.kill9()
    await node.start()
    const ids = await publishing
    const fresh = await createConsumerRig({ url: node.amqpUrl, declaration: stormTopology('warren') })
    const dead = await awaitConservation(fresh, { ids, handled, dlq: flow.deadLetterQueue! })

    await consumer.close()
    expect(new Set([...handled, ...dead])).toEqual(new Set(ids))
  },
)

function spawnConsumer(url: string, handled: (id: string) => void) {
  const script = new URL('./consumer-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--import', 'jiti/register', script, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let rest = ''
  child.stdout.on('data', (piece: Buffer) => {
    const lines = (rest + String(piece)).split('\n')
    rest = lines.pop()!
    for (const line of lines) handled(line)
  })
  return child
}
