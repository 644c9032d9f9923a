import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { declareQueue, inspectQueue } from '../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { Delivery } from '../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { joinBody } from '../../packages/warrenmq/src/broker/amqp/message.ts'
import { Session } from '../../packages/warrenmq/src/broker/amqp/session.ts'
import type { PublishResult } from '../../packages/warrenmq/src/publisher/publish-result.ts'
import { Publisher } from '../../packages/warrenmq/src/publisher/publisher.ts'
import { toFieldTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import { createVhostOn } from '../support/create-vhost-on.ts'
import { endNode } from '../support/end-node.ts'
import { eventually } from '../support/eventually.ts'
import { type RabbitNode, startRabbitNode } from '../support/start-rabbit-node.ts'
import { describeWithNode } from '../support/with-node.ts'

const quick = { backoff: { initialMs: 20, maxMs: 500 } }

/** One node for all: each test puts right what it does to it. */
let node: RabbitNode

async function setup() {
  const { url, drop } = await createVhostOn(node, 'publish')
  onTestFinished(drop)
  const session = await Session.open(url, quick)
  onTestFinished(() => session.close())
  const channel = await session.openChannel()
  const quorum = toFieldTable({ 'x-queue-type': 'quorum' })
  await declareQueue(channel, { queue: 'orders', arguments: quorum })
  return { session, url }
}

/** Reads up to a message that is published last: to ask for ten thousand one by one takes a minute. */
async function readIds(session: Session, queue: string): Promise<Set<string>> {
  const last = await new Publisher(session).publish({ key: queue, body: 'last' })
  expect(last.kind).toBe('confirmed')
  const channel = await session.openChannel()
  await channel.setPrefetch(500)
  const ids = new Set<string>()
  await new Promise<void>((resolve, reject) => {
    const take = (delivery: Delivery): void => {
      const id = joinBody(delivery.body).toString()
      delivery.ack()
      if (id === 'last') resolve()
      else ids.add(id)
    }
    channel.consume(queue, take).catch(reject)
  })
  return ids
}

function countKinds(results: readonly PublishResult[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind } of results) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

describeWithNode('a publisher and its broker', () => {
  beforeAll(async () => {
    node = await startRabbitNode()
  })
  afterAll(() => node?.destroy())

  describe('a broker that is stopped in its tracks', () => {
    test('is noticed by its silence; publishes settle by their deadline', { timeout: 400_000 }, async () => {
      const { session, url } = await setup()
      const listening = await Session.open(url, { ...quick, heartbeatSeconds: 1 })
      onTestFinished(() => listening.close())
      const lost = new Promise((resolve) => listening.events.on('disconnected', resolve))
      const [publisher, hasty] = [new Publisher(session), new Publisher(session, { deadlineMs: 1_000 })]
      await Promise.all([publisher, hasty].map((each) => each.publish({ key: 'orders', body: 'warm' })))

      onTestFinished(() => node.resume())
      await node.pause()
      const stuck = await hasty.publish({ key: 'orders', body: 'stuck' })
      const silence = await lost
      await node.resume()

      expect(stuck).toMatchObject({ kind: 'unknown', wasSent: true, cause: { code: 'PUBLISH_DEADLINE' } })
      expect(silence).toMatchObject({ error: { code: 'CONNECTION_HEARTBEAT_MISSED' } })
      expect((await listening.whenConnected()).isOpen).toBe(true)
      const next = await publisher.publish({ key: 'orders', body: 'next' })
      expect(next.kind).toBe('confirmed')
    })
  })

  describe('a memory alarm', () => {
    test('makes publishers wait while consumers go on', { timeout: 400_000 }, async () => {
      const { session, url } = await setup()
      const consuming = await Session.open(url, quick)
      onTestFinished(() => consuming.close())
      const publisher = new Publisher(session)
      for (let index = 0; index < 20; index += 1)
        await publisher.publish({ key: 'orders', body: String(index) })
      const blocked = new Promise((resolve) => session.events.on('blocked', resolve))

      const endAlarm = await alarmMemory()
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
      await endAlarm()

      expect([(await trigger).kind, (await waiting).kind]).toEqual(['confirmed', 'confirmed'])
      await eventually(() => expect(handled).toBe(22))
    })
  })

  describe('a broker killed -9 with 10,000 publishes in flight', () => {
    test('leaves no promise open, and has every message it confirmed', { timeout: 400_000 }, async () => {
      const { session } = await setup()
      const publisher = new Publisher(session, { window: { messages: 10_000, bytes: 64 * 1024 * 1024 } })
      const first = await publisher.publish({ key: 'orders', body: 'first' })
      expect(first.kind).toBe('confirmed')
      await node.syncRegistrations()

      let confirmed = 0
      const results = Array.from({ length: 10_000 }, async (_, index) => {
        const result = await publisher.publish({ key: 'orders', body: String(index) })
        if (result.kind === 'confirmed') confirmed += 1
        return result
      })
      await eventually(() => expect(confirmed).toBeGreaterThan(500), { intervalMs: 1 })
      const startAgain = await endNode(node, 'kill9')
      const all = await Promise.all(results)

      const kinds = countKinds(all)
      expect((kinds.confirmed ?? 0) + (kinds.unknown ?? 0)).toBe(10_000)
      expect(publisher.pendingCount).toBe(0)
      await startAgain()
      await session.whenConnected()
      const kept = await readIds(session, 'orders')
      const lost = all.flatMap((result, index) =>
        result.kind === 'confirmed' && !kept.has(String(index)) ? [index] : [],
      )
      expect(lost).toEqual([])
    })

    test('gets everything in the end when told to send again', { timeout: 400_000 }, async () => {
      const { session } = await setup()
      const publisher = new Publisher(session, { resend: true, deadlineMs: 300_000 })
      await node.syncRegistrations()
      let confirmed = 0
      const results = Array.from({ length: 3_000 }, async (_, index) => {
        const result = await publisher.publish({
          key: 'orders',
          body: String(index),
          messageId: `m-${index}`,
        })
        if (result.kind === 'confirmed') confirmed += 1
        return result
      })
      await eventually(() => expect(confirmed).toBeGreaterThan(100), { intervalMs: 1 })
      const startAgain = await endNode(node, 'kill9')
      await startAgain()
      const all = await Promise.all(results)

      expect(countKinds(all)).toEqual({ confirmed: 3_000 })
      const again = all.filter((result) => result.kind === 'confirmed' && result.mayBeDuplicate).length
      expect(again).toBeLessThanOrEqual(1_024)
      expect((await readIds(session, 'orders')).size).toBe(3_000)
    })
  })
})

/** Gives what ends the alarm, at the end of the test at the latest. */
async function alarmMemory(): Promise<() => Promise<void>> {
  let isOver = false
  const endAlarm = async (): Promise<void> => {
    if (!isOver) await node.rabbitmqctl('set_vm_memory_high_watermark', '0.6')
    isOver = true
  }
  onTestFinished(endAlarm)
  await node.rabbitmqctl('set_vm_memory_high_watermark', '0.0000001')
  return endAlarm
}
