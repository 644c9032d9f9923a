import { expect, onTestFinished } from 'vitest'
import { declareQueue, inspectQueue } from '../../src/broker/amqp/operations.ts'
import { Session } from '../../src/broker/amqp/session.ts'
import type { PublishResult } from '../../src/publisher/publish-result.ts'
import { Publisher } from '../../src/publisher/publisher.ts'
import { toFieldTable } from '../../src/wire/plain-fields.ts'
import { eventually } from '../support/eventually.ts'
import { startRabbitNode } from '../support/start-rabbit-node.ts'
import { describeWithNode, testWithNode } from '../support/with-node.ts'

const quick = { backoff: { initialMs: 20, maxMs: 500 } }

async function setup() {
  const node = await startRabbitNode()
  onTestFinished(() => node.destroy())
  const session = await Session.open(node.amqpUrl, quick)
  onTestFinished(() => session.close())
  const channel = await session.openChannel()
  const quorum = toFieldTable({ 'x-queue-type': 'quorum' })
  await declareQueue(channel, { queue: 'orders', arguments: quorum })
  return { node, session }
}

async function readIds(session: Session, queue: string): Promise<Set<string>> {
  const channel = await session.openChannel()
  const ids = new Set<string>()
  for (let got = await channel.get(queue); got; got = await channel.get(queue)) ids.add(String(got.body))
  return ids
}

function countKinds(results: readonly PublishResult[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind } of results) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

describeWithNode('a broker killed -9 with 10,000 publishes in flight', () => {
  testWithNode(
    'leaves no promise open, and has every message it confirmed',
    { timeout: 400_000 },
    async () => {
      const { node, session } = await setup()
      const publisher = new Publisher(session, { window: { messages: 10_000, bytes: 64 * 1024 * 1024 } })
      // A quorum queue that is younger than this can lose its registration to a kill -9 (measured).
      const [first] = await Promise.all([publisher.publish({ key: 'orders', body: 'first' }), settle(6_000)])
      expect(first.kind).toBe('confirmed')

      let confirmed = 0
      const results = Array.from({ length: 10_000 }, async (_, index) => {
        const result = await publisher.publish({ key: 'orders', body: String(index) })
        if (result.kind === 'confirmed') confirmed += 1
        return result
      })
      await eventually(() => expect(confirmed).toBeGreaterThan(500), { intervalMs: 1 })
      await node.kill9()
      const all = await Promise.all(results)

      const kinds = countKinds(all)
      expect((kinds.confirmed ?? 0) + (kinds.unknown ?? 0)).toBe(10_000)
      expect(publisher.pendingCount).toBe(0)
      await node.start()
      await session.whenConnected()
      const kept = await readIds(session, 'orders')
      const lost = all.flatMap((result, index) =>
        result.kind === 'confirmed' && !kept.has(String(index)) ? [index] : [],
      )
      expect(lost).toEqual([])
    },
  )

  testWithNode('gets everything in the end when told to send again', { timeout: 400_000 }, async () => {
    const { node, session } = await setup()
    const publisher = new Publisher(session, { resend: true, deadlineMs: 300_000 })
    await settle(6_000)
    let confirmed = 0
    const results = Array.from({ length: 3_000 }, async (_, index) => {
      const result = await publisher.publish({ key: 'orders', body: String(index), messageId: `m-${index}` })
      if (result.kind === 'confirmed') confirmed += 1
      return result
    })
    await eventually(() => expect(confirmed).toBeGreaterThan(100), { intervalMs: 1 })
    await node.kill9()
    await node.start()
    const all = await Promise.all(results)

    expect(countKinds(all)).toEqual({ confirmed: 3_000 })
    const again = all.filter((result) => result.kind === 'confirmed' && result.mayBeDuplicate).length
    expect(again).toBeLessThanOrEqual(1_024)
    expect((await readIds(session, 'orders')).size).toBe(3_000)
  })
})

describeWithNode('a broker that is stopped in its tracks', () => {
  testWithNode(
    'is noticed by its silence; publishes settle by their deadline',
    { timeout: 400_000 },
    async () => {
      const { node, session } = await setup()
      const listening = await Session.open(node.amqpUrl, { ...quick, heartbeatSeconds: 1 })
      onTestFinished(() => listening.close())
      const lost = new Promise((resolve) => listening.events.on('disconnected', resolve))
      const [publisher, hasty] = [new Publisher(session), new Publisher(session, { deadlineMs: 1_000 })]
      await Promise.all([publisher, hasty].map((each) => each.publish({ key: 'orders', body: 'warm' })))

      await node.pause()
      const stuck = await hasty.publish({ key: 'orders', body: 'stuck' })
      const silence = await lost
      await node.resume()

      expect(stuck).toMatchObject({ kind: 'unknown', wasSent: true, cause: { code: 'PUBLISH_DEADLINE' } })
      expect(silence).toMatchObject({ error: { code: 'CONNECTION_HEARTBEAT_MISSED' } })
      expect((await listening.whenConnected()).isOpen).toBe(true)
      const next = await publisher.publish({ key: 'orders', body: 'next' })
      expect(next.kind).toBe('confirmed')
    },
  )
})

describeWithNode('a memory alarm', () => {
  testWithNode('makes publishers wait while consumers go on', { timeout: 400_000 }, async () => {
    const { node, session } = await setup()
    const consuming = await Session.open(node.amqpUrl, quick)
    onTestFinished(() => consuming.close())
    const publisher = new Publisher(session)
    for (let index = 0; index < 20; index += 1)
      await publisher.publish({ key: 'orders', body: String(index) })
    const blocked = new Promise((resolve) => session.events.on('blocked', resolve))

    await node.rabbitmqctl('set_vm_memory_high_watermark', '0.0000001')
    // RabbitMQ blocks a connection when it publishes: this one is taken, the next ones wait.
    const trigger = publisher.publish({ key: 'orders', body: 'trigger' })
    await blocked
    const waiting = publisher.publish({ key: 'orders', body: 'waiting' })

    const channel = await consuming.openChannel()
    let handled = 0
    await channel.consume('orders', (delivery) => {
      delivery.ack()
      handled += 1
    })
    await eventually(() => expect(handled).toBeGreaterThanOrEqual(20))
    await eventually(async () => expect((await inspectQueue(channel, 'orders')).messageCount).toBe(0))
    expect(session.blockedReason).toMatch(/memory/)
    expect(publisher.pendingCount).toBeGreaterThanOrEqual(1)
    await node.rabbitmqctl('set_vm_memory_high_watermark', '0.6')

    expect([(await trigger).kind, (await waiting).kind]).toEqual(['confirmed', 'confirmed'])
    await eventually(() => expect(handled).toBe(22))
  })
})

/** The one wait for a stretch of time: it is RabbitMQ's own trap that is stepped around, not a race of ours. */
function settle(timeMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, timeMs))
}
