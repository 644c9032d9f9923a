import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { parseAmqpUrl } from '../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import type { Consumer } from '../../packages/warrenmq/src/consumer/consumer.ts'
import { type ConsumerRig, createConsumerRig } from '../integration/consumer/consumer-rig.ts'
import { eventually } from '../support/eventually.ts'
import { startProxy } from '../support/start-proxy.ts'
import { startRabbitNode } from '../support/start-rabbit-node.ts'
import { createVhost } from '../support/use-broker.ts'
import { testWithNode } from '../support/with-node.ts'
import { awaitConservation, publishAll } from './consumer-storm.ts'
import {
  stormFactor,
  stormHandler,
  stormOptions,
  stormQueues,
  stormTopology,
} from './consumer-storm-topology.ts'

const limits = { timeout: 400_000 * stormFactor }
/** What can be under way at a time in one process: on its connection, a fault can repeat this and nothing else. */
const inFlight = stormQueues.length * stormOptions.prefetch

async function setup() {
  const broker = await createVhost()
  onTestFinished(() => broker.drop())
  const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
  onTestFinished(() => proxy.close())
  const url = proxy.urlFor(broker.url)
  const parts = { url: broker.url, consumingUrl: url, publishingUrl: url, declaration: stormTopology }
  const rig = await createConsumerRig(parts)
  return { ...rig, broker, proxy, flows: flowsOf(rig) }
}

const flowsOf = (rig: ConsumerRig) => stormQueues.map((queue) => rig.flow(queue))

/** Consumers of every queue in this process. */
async function consumeAll(rig: ConsumerRig, handled: string[]): Promise<{ close(): Promise<unknown> }> {
  const handler = stormHandler((id) => handled.push(id))
  const consumers: Consumer[] = []
  for (const queue of stormQueues) consumers.push(await rig.consume(queue, handler, stormOptions))
  return { close: () => Promise.all(consumers.map((consumer) => consumer.close())) }
}

const reached = (handled: readonly string[], count: number) =>
  eventually(() => expect(handled.length).toBeGreaterThan(count), { timeoutMs: 60_000, intervalMs: 1 })

it('no layout loses a message when connections are cut again and again under load', limits, async () => {
  const { proxy, publisher, flows, ...rig } = await setup()
  const handled: string[] = []
  const consumers = await consumeAll({ ...rig, publisher }, handled)
  const publishing = publishAll(publisher, flows, 400 * stormFactor)

  for (const [direction, methodId] of cutFrames) {
    await proxy.cutAtFrame({ direction, classId: 60, methodId, nth: 20, where: 'middle' })
  }
  const ids = await publishing
  const twice = await awaitConservation(rig, { ids, handled })

  await consumers.close()
  expect(twice).toBeLessThanOrEqual(cutFrames.length * inFlight)
})

/** Deliveries on their way to us and acks on their way to the broker, at times those of a publish. */
const cutFrames = [
  ['to-client', 60],
  ['to-broker', 80],
  ['to-broker', 40],
  ['to-client', 60],
  ['to-broker', 80],
] as const

it(
  'a rolling restart of three processes by SIGTERM under load loses nothing and does nothing twice',
  limits,
  async () => {
    const { broker, flows, publisher, ...rig } = await setup()
    const handled: string[] = []
    const running = [0, 1, 2].map(() => spawnConsumers(broker.url, handled))
    await Promise.all(running.map(({ ready }) => ready))
    const publishing = publishAll(publisher, flows, 800 * stormFactor)

    for (let restart = 1; restart <= 3 * stormFactor; restart += 1) {
      await reached(handled, restart * 300)
      const next = spawnConsumers(broker.url, handled)
      const oldest = running.shift()!
      expect(await oldest.end('SIGTERM')).toBe('SIGTERM')
      await next.ready
      running.push(next)
    }
    const ids = await publishing
    const twice = await awaitConservation(rig, { ids, handled })

    for (const each of running) await each.end('SIGTERM')
    expect(twice).toBe(0)
    for (const { queue } of flows) expect(await rig.depth(queue)).toBe(0)
  },
)

it('consumers killed -9 under load lose nothing in any layout', limits, async () => {
  const { broker, flows, publisher, ...rig } = await setup()
  const handled: string[] = []
  let victim = spawnConsumers(broker.url, handled)
  await victim.ready
  const ids = await publishAll(publisher, flows, 300 * stormFactor)

  const kills = 2 * stormFactor
  for (let kill = 1; kill <= kills; kill += 1) {
    await reached(handled, kill * 200)
    const next = spawnConsumers(broker.url, handled)
    expect(await victim.end('SIGKILL')).toBe('SIGKILL')
    victim = next
  }
  const twice = await awaitConservation(rig, { ids, handled })

  await victim.end('SIGTERM')
  expect(twice).toBeLessThanOrEqual(kills * inFlight)
})

testWithNode(
  'a broker killed -9 and started again under load loses nothing in any layout',
  limits,
  async () => {
    const node = await startRabbitNode()
    onTestFinished(() => node.destroy())
    const rig = await createConsumerRig({ url: node.amqpUrl, declaration: stormTopology })
    const handled: string[] = []
    await node.syncRegistrations()
    const consumers = await consumeAll(rig, handled)
    const publishing = publishAll(rig.publisher, flowsOf(rig), 300 * stormFactor)

    await reached(handled, 150)
    await node.kill9()
    await node.start()
    const ids = await publishing
    const fresh = await createConsumerRig({ url: node.amqpUrl, declaration: stormTopology })
    const twice = await awaitConservation(fresh, { ids, handled })

    await consumers.close()
    // Besides what the consumers had, each publish without an answer was sent again by the test itself.
    expect(twice).toBeLessThanOrEqual(inFlight + publisherWindow)
  },
)

const publisherWindow = 1024

/** Consumers of every queue in a process of their own. */
function spawnConsumers(url: string, handled: string[]) {
  const script = new URL('./consumer-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--import', 'jiti/register', script, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let rest = ''
  let isReady = (): void => {}
  const ready = new Promise<void>((resolve) => {
    isReady = resolve
  })
  child.stdout.on('data', (piece: Buffer) => {
    const lines = (rest + String(piece)).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (line === 'ready') isReady()
      else handled.push(line)
    }
  })
  /** Sends the signal, and tells which one ended it once all it wrote was read. */
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    const closed = once(child, 'close')
    child.kill(signal)
    const [, endedBy] = (await closed) as [number | null, NodeJS.Signals | null]
    return endedBy
  }
  return { ready, end }
}
