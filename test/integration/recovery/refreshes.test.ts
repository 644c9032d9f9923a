import { expect, onTestFinished, test } from 'vitest'
import { inspectQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { Delivery } from '../../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { lookAtQueue } from '../../../packages/warrenmq/src/recovery/look/look-at-queue.ts'
import { prepareLook } from '../../../packages/warrenmq/src/recovery/look/prepare-look.ts'
import { Refreshes } from '../../../packages/warrenmq/src/recovery/look/refreshes.ts'
import { startRedrive } from '../../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import { eventually } from '../../support/eventually.ts'
import { createEmbeddedRig, type EmbeddedRig } from './embedded-rig.ts'

const deliveryLimit = 3

/** A queue whose messages are at their limit: whatever gives one back deletes it. Fresh copies may go back. */
async function setup(count: number) {
  const limited = { 'x-queue-type': 'quorum', 'x-delivery-limit': deliveryLimit }
  const rig = await createEmbeddedRig({ profile: '4.0', count, arguments: limited })
  const { broker, consuming, depth } = rig
  const management = openManagement(broker.managementUrl)
  onTestFinished(() => management.close())
  for (let round = 0; round < deliveryLimit; round += 1) {
    const { channel } = await takeAll(rig, count)
    await channel.close()
    await eventually(() => expect(depth('dlq')).toBe(count))
  }
  const unacknowledged = () => broker.inspect('dlq')!.counts.unacknowledged
  /** What was asked of the broker before is answered after this. */
  const settle = async (): Promise<void> => {
    const channel = await consuming.openChannel()
    for (let round = 0; round < 20; round += 1) await inspectQueue(channel, 'dlq')
    await channel.close()
  }
  return { ...rig, task: { ...rig.task, management }, unacknowledged, settle }
}

async function takeAll({ consuming }: EmbeddedRig, count: number) {
  const channel = await consuming.openChannel()
  const held: Delivery[] = []
  await channel.setPrefetch(count)
  await channel.consume('dlq', (delivery) => held.push(delivery))
  await eventually(() => expect(held).toHaveLength(count))
  return { channel, held }
}

test('a look has no more copies under way than a window, however slowly they are taken', async () => {
  const { broker, task, depth, unacknowledged, settle } = await setup(3_000)
  broker.faults.block()

  const look = lookAtQueue({ ...task, onMessage: () => {} })
  look.catch(() => {}) // a test that fails before it waits for it ends it
  await eventually(() => expect(unacknowledged()).toBeGreaterThanOrEqual(2_000))
  await settle()
  const mostUnderWay = unacknowledged()
  broker.faults.unblock()

  expect(await look).toMatchObject({ present: 3_000, seen: 3_000, refreshed: 3_000, isWhole: true })
  expect(mostUnderWay).toBe(2_000)
  expect(depth('dlq')).toBe(3_000)
  expect(broker.inspect('dlq.over-limit')).toBeUndefined()
})

test('a re-drive that keeps messages near their limit has no more copies under way than its window', async () => {
  const { broker, task, depth, unacknowledged, settle } = await setup(1_000)
  broker.faults.block()

  const { receipt } = startRedrive({ ...task, window: { messages: 50 }, select: () => false })
  await eventually(() => expect(unacknowledged()).toBeGreaterThanOrEqual(50))
  await settle()
  const mostUnderWay = unacknowledged()
  broker.faults.unblock()

  expect(await receipt).toMatchObject({ outcome: 'done', kept: 1_000, refreshed: 1_000, isBalanced: true })
  expect(await receipt).not.toHaveProperty('movedAside')
  expect(mostUnderWay).toBe(50)
  expect(depth('dlq')).toBe(1_000)
})

test('a publisher without room says nothing of the queue: no message is moved aside for it', async () => {
  const rig = await setup(40)
  const { broker, task, publishing, depth } = rig
  const rules = await prepareLook(task)
  const publisher = new Publisher(publishing, { window: { messages: 1 }, waiting: { messages: 0 } })
  const refreshes = new Refreshes({ publisher, rules, retryMs: 1 })
  const { channel, held } = await takeAll(rig, 40)

  for (const delivery of [...held]) refreshes.leave(delivery)
  await refreshes.idle()
  await eventually(() => expect(held).toHaveLength(80)) // the copies, which are held as well
  await channel.close()

  expect([refreshes.heldCount, rules.overLimitQueue.count]).toEqual([0, 0])
  expect(broker.inspect('dlq.over-limit')).toBeUndefined()
  await eventually(() => expect(depth('dlq')).toBe(40))
})

test('a message whose copy was taken while its own line was lost is there twice, and that is told', async () => {
  const rig = await setup(1)
  const rules = await prepareLook(rig.task)
  const refreshes = new Refreshes({ publisher: rig.publisher, rules, ack: () => 'stale' })
  const { channel, held } = await takeAll(rig, 1)
  const ends: string[] = []

  expect(refreshes.leave(held[0]!, (end) => ends.push(end))).toBe(true)
  await refreshes.idle()

  expect(ends).toEqual(['held-with-copy'])
  expect(rig.depth('dlq') + rig.unacknowledged()).toBe(2)
  await channel.close()
})
