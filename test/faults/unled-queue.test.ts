import { expect, onTestFinished, test } from 'vitest'
import { declareQueue, inspectQueue } from '../../src/broker/amqp/operations.ts'
import { parseAmqpUrl } from '../../src/broker/amqp/parse-amqp-url.ts'
import { Session } from '../../src/broker/amqp/session.ts'
import { startEmbeddedBroker } from '../../src/embedded/start-embedded-broker.ts'
import { Publisher } from '../../src/publisher/publisher.ts'
import { type RedriveOptions, startRedrive } from '../../src/recovery/redrive.ts'
import { toFieldTable } from '../../src/wire/plain-fields.ts'
import { unlimitedQuorum } from '../integration/recovery/recovery-rig.ts'
import { eventually } from '../support/eventually.ts'
import { startUnledProxy } from './start-unled-proxy.ts'

/** Six dead letters in a queue that can lose its leader. */
async function setup() {
  const broker = await startEmbeddedBroker({ profile: '3.10' })
  const proxy = await startUnledProxy({ target: parseAmqpUrl(broker.url)[0]!.port, queue: 'dlq' })
  const consuming = await Session.open(proxy.urlFor(broker.url))
  const publishing = await Session.open(broker.url)
  onTestFinished(async () => {
    await Promise.all([consuming.close(), publishing.close()])
    await broker.stop()
  })
  const channel = await publishing.openChannel()
  const args = toFieldTable(unlimitedQuorum(consuming.broker.version))
  for (const queue of ['dlq', 'work']) await declareQueue(channel, { queue, arguments: args })
  const publisher = new Publisher(publishing)
  const headers = { 'x-original-queue': 'work' }
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await publisher.publish({ key: 'dlq', body: id, messageId: id, headers })
  }
  const depth = async (queue: string) => (await inspectQueue(channel, queue)).messageCount
  const redrive = (options: Partial<RedriveOptions> = {}) =>
    startRedrive({
      ...{ consuming, publishing, queue: 'dlq', by: 'test', acceptDeliveryLimit: true },
      ...{ window: { messages: 2 }, ...options },
    })
  /** Paused after two messages, with a queue that has lost its leader. */
  const redriveHalfWay = () => {
    const run = redrive({
      onProgress: ({ moved }) => {
        if (moved !== 2) return
        run.pause()
        proxy.loseLeader()
      },
    })
    return run
  }
  return { proxy, depth, redrive, redriveHalfWay }
}

const whole = { outcome: 'done', present: 6, failed: 0, kept: 0, missing: 0, arrivals: 0, isBalanced: true }

test('a queue without a leader is not empty: a re-drive waits for one and moves what is there', async () => {
  const { proxy, depth, redrive } = await setup()
  proxy.loseLeader()

  const { receipt } = redrive()
  await eventually(() => expect(proxy.untrueAnswers).toBeGreaterThan(4))
  proxy.electLeader()

  expect(await receipt).toMatchObject({ ...whole, moved: 6, stillThere: 0 })
  expect([await depth('dlq'), await depth('work')]).toEqual([0, 6])
})

test('a queue that loses its leader half way is not taken for one that others have emptied', async () => {
  const { proxy, depth, redriveHalfWay } = await setup()
  const run = redriveHalfWay()

  await eventually(() => expect(proxy.untrueAnswers).toBeGreaterThan(2))
  proxy.electLeader()
  run.resume()

  expect(await run.receipt).toMatchObject({ ...whole, moved: 6, stillThere: 0 })
  expect([await depth('dlq'), await depth('work')]).toEqual([0, 6])
})

test('a queue that stays without a leader while it is walked is walked again on another channel', async () => {
  const { proxy, depth, redriveHalfWay } = await setup()
  const run = redriveHalfWay()

  // So many answers of a queue that does not know its consumer are enough.
  await eventually(() => expect(proxy.untrueAnswers).toBe(30))
  proxy.electLeader()
  run.resume()

  expect(await run.receipt).toMatchObject({ ...whole, moved: 6, stillThere: 0 })
  expect([await depth('dlq'), await depth('work')]).toEqual([0, 6])
})

test('a queue without a leader at the end is counted when it has one', async () => {
  const { proxy, depth, redrive } = await setup()
  const { receipt } = redrive({
    limit: 3,
    onProgress: ({ moved }) => {
      if (moved === 3) proxy.loseLeader()
    },
  })

  // So many times the depth is read before less than there should be is believed.
  await eventually(() => expect(proxy.untrueAnswers).toBeGreaterThan(210), { timeoutMs: 20_000 })
  proxy.electLeader()

  expect(await receipt).toMatchObject({ ...whole, moved: 3, stillThere: 3 })
  expect([await depth('dlq'), await depth('work')]).toEqual([3, 3])
})
