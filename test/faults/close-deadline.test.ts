import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { declareQueue, inspectQueue } from '../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../packages/warrenmq/src/broker/amqp/session.ts'
import { connect, defineTopology, retry } from '../../packages/warrenmq/src/index.ts'
import { createVhostOn } from '../support/create-vhost-on.ts'
import { eventually } from '../support/eventually.ts'
import { startProxy } from '../support/start-proxy.ts'
import { type RabbitNode, startRabbitNode } from '../support/start-rabbit-node.ts'
import { describeWithNode } from '../support/with-node.ts'

const topology = defineTopology({ queues: { orders: { retry: { delays: ['1h'], maxAttempts: 5 } } } })
/** Without the deadline each of these takes as long as a publish may wait: a minute. */
const soon = { timeout: 30_000 }

/** One node for all: each test puts right what it does to it. */
let node: RabbitNode

async function setup() {
  const { url, drop } = await createVhostOn(node, 'close')
  onTestFinished(drop)
  const proxy = await startProxy({ target: node.amqpPort })
  onTestFinished(() => proxy.close())
  const options = { topology, managementUrl: 'http://127.0.0.1:1', backoff: { initialMs: 20, maxMs: 500 } }
  const warren = await connect(proxy.urlFor(url), options)
  onTestFinished(() => warren.close({ deadline: 0 }))
  await warren.apply()
  const watching = await Session.open(url)
  onTestFinished(() => watching.close())
  const channel = await watching.openChannel()
  await declareQueue(channel, { queue: 'trigger' })
  const depth = async (queue: string) => (await inspectQueue(channel, queue)).messageCount
  return { proxy, warren, depth }
}

type Line = Awaited<ReturnType<typeof setup>>

/** RabbitMQ blocks a connection when it publishes, so one message is let go; the next ones wait. */
async function blockPublishing({ warren }: Line): Promise<() => Promise<void>> {
  let isOver = false
  const endAlarm = async (): Promise<void> => {
    if (!isOver) await node.rabbitmqctl('set_vm_memory_high_watermark', '0.6')
    isOver = true
  }
  onTestFinished(endAlarm)
  const blocked = new Promise((resolve) => warren.events.on('blocked', resolve))
  await node.rabbitmqctl('set_vm_memory_high_watermark', '0.0000001')
  void warren.publisher().publish({ key: 'trigger', body: 'blocks its connection' })
  await blocked
  return endAlarm
}

const givenUp = { kind: 'unknown', wasSent: false, cause: { code: 'PUBLISHER_CLOSED' } }

describeWithNode('a close with a deadline', () => {
  beforeAll(async () => {
    node = await startRabbitNode()
  }, 400_000)
  afterAll(() => node?.destroy())

  describe('and publishes that wait', () => {
    test('gives them up when the broker is away', soon, async () => {
      const { proxy, warren, depth } = await setup()
      await warren.publisher().room()
      let lost = 0
      warren.events.on('disconnected', () => {
        lost += 1
      })
      proxy.refuse()
      proxy.cutAll()
      await eventually(() => expect(lost).toBe(2)) // it has two connections
      const waiting = [1, 2, 3].map((body) => warren.publisher().publish({ key: 'orders', body }))

      await warren.close({ deadline: '1s' })

      expect(await Promise.all(waiting)).toMatchObject([givenUp, givenUp, givenUp])
      expect(await depth('orders')).toBe(0)
    })

    test('gives them up in an alarm, and sends none of them later', soon, async () => {
      const line = await setup()
      const { warren, depth } = line
      const endAlarm = await blockPublishing(line)
      const waiting = [1, 2, 3].map((body) => warren.publisher().publish({ key: 'orders', body }))

      await warren.close({ deadline: '1s' })
      const results = await Promise.all(waiting)
      await endAlarm()

      expect(results).toMatchObject([givenUp, givenUp, givenUp])
      await eventually(async () => expect(await depth('trigger')).toBe(1))
      expect(await depth('orders')).toBe(0)
    })

    test('is kept by a publisher of its own, too', soon, async () => {
      const line = await setup()
      const { warren } = line
      const endAlarm = await blockPublishing(line)
      const publisher = warren.publisher({ window: { messages: 8 } })
      const waiting = publisher.publish({ key: 'orders', body: 1 })

      await publisher.close({ deadline: 500 })

      expect(await waiting).toMatchObject(givenUp)
      await endAlarm()
    })
  })

  describe('and retries that wait', () => {
    test('leaves as many messages as there were', soon, async () => {
      const line = await setup()
      const { warren, depth } = line
      for (const body of [1, 2, 3, 4, 5]) await warren.publisher().publish({ key: 'orders', body })
      const endAlarm = await blockPublishing(line)
      let handled = 0
      await warren.consume('orders', () => {
        handled += 1
        return retry()
      })
      await eventually(() => expect(handled).toBe(5))

      await warren.close({ deadline: '1s' })
      await endAlarm()

      await eventually(async () => expect(await depth('trigger')).toBe(1))
      await eventually(async () => expect(await depth('orders')).toBe(5))
      expect(await depth('orders.retry.1h')).toBe(0)
    })
  })

  describe('and a broker that says nothing', () => {
    test('does not wait for its goodbye', soon, async () => {
      const { proxy, warren } = await setup()
      await warren.consume('orders', () => undefined)
      await warren.publisher().publish({ key: 'orders', body: 1 })
      proxy.swallow('both')
      const unanswered = warren.publisher().publish({ key: 'orders', body: 2 })

      await warren.close({ deadline: '1s' })

      expect(await unanswered).toMatchObject({ kind: 'unknown', wasSent: true })
    })
  })
})
