import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { deleteQueue } from '../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { Delivery } from '../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { backUpQueue } from '../../packages/warrenmq/src/recovery/backup/backup-queue.ts'
import { discardMessages } from '../../packages/warrenmq/src/recovery/backup/discard-messages.ts'
import { lookAtQueue } from '../../packages/warrenmq/src/recovery/look/look-at-queue.ts'
import { prepareLook } from '../../packages/warrenmq/src/recovery/look/prepare-look.ts'
import { QueueWalk } from '../../packages/warrenmq/src/recovery/look/queue-walk.ts'
import { recoverQueues } from '../../packages/warrenmq/src/recovery/recover/recover-queues.ts'
import { createRecoveryRig, type RecoveryRig } from '../integration/recovery/recovery-rig.ts'
import { eventually } from '../support/eventually.ts'
import { type BrokerProxy, startProxy } from '../support/start-proxy.ts'
import { useBroker } from '../support/use-broker.ts'

const broker = await useBroker()
const isBefore4 = broker.version.startsWith('3.')
const count = 5
/** The broker's own statistics tell a new policy some seconds late, and until then a look is refused. */
const patiently = { timeoutMs: 100_000 }
const slow = { timeout: 240_000 }
let number = 0

/** A rig whose deliveries come through a proxy, and a dead-letter queue with these arguments. */
async function setup(args: Parameters<RecoveryRig['declare']>[1]) {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const rig = await createRecoveryRig({ ...broker, consumingUrl: proxy.urlFor(broker.url) })
  number += 1
  const dlq = `dlq-${number}`
  await rig.declare(dlq, args)
  await rig.fill(dlq, count, () => ({ headers: { 'x-original-queue': `${dlq}-work` } }))
  const look = () => lookAtQueue({ ...rig, queue: dlq, by: 'test', onMessage: () => {} })
  const folder = mkdtempSync(join(tmpdir(), 'warren-look-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { ...rig, rig, proxy, dlq, look, folder, file: join(folder, 'dlq.backup') }
}

/** Gives every message back so often that the next return is one too many. */
async function useUpReturns({ admin, depth }: RecoveryRig, queue: string, limit: number): Promise<void> {
  for (let round = 0; round < limit; round += 1) {
    const taken = []
    for (let got = await admin.get(queue); got; got = await admin.get(queue)) taken.push(got)
    for (const got of taken.toReversed()) got.reject({ requeue: true })
    await eventually(async () => expect(await depth(queue)).toBe(count), { intervalMs: 5 })
  }
}

/** Cuts the connection when the broker has handed messages over and before the first of them arrives. */
function cutWhileHeld(proxy: BrokerProxy): Promise<unknown> {
  const deliver = { direction: 'to-client', classId: 60, methodId: 60 } as const
  return proxy.cutAtFrame({ ...deliver, where: 'before' })
}

const limited = { 'x-queue-type': 'quorum', 'x-delivery-limit': 2 } as const

test.each([
  ['a look', ({ look }: Awaited<ReturnType<typeof setup>>) => look()],
  ['a re-drive', ({ rig, dlq }: Awaited<ReturnType<typeof setup>>) => rig.redrive({ queue: dlq })],
  [
    'a recovery',
    ({ rig, dlq }: Awaited<ReturnType<typeof setup>>) =>
      recoverQueues({ ...rig, queues: [dlq], types: { routes: {} } }),
  ],
  [
    'a backup',
    ({ rig, dlq, file }: Awaited<ReturnType<typeof setup>>) =>
      backUpQueue({ ...rig, queue: dlq, by: 'test', file }),
  ],
  [
    'a discard',
    ({ rig, dlq, file }: Awaited<ReturnType<typeof setup>>) =>
      discardMessages({ ...rig, queue: dlq, by: 'test', file }),
  ],
])('%s takes no message from a queue that deletes them when the connection is cut', async (_name, work) => {
  const rig = await setup(limited)
  await useUpReturns(rig, rig.dlq, 2)
  void cutWhileHeld(rig.proxy)

  await expect(work(rig)).rejects.toMatchObject({
    code: 'RECOVERY_LOOK_REFUSED',
    message: expect.stringContaining('delivery limit of 2 (its argument x-delivery-limit)'),
  })

  expect(await rig.depth(rig.dlq)).toBe(count)
  expect(readdirSync(rig.folder)).toEqual([])
})

test('the refusal has a reason: where the limit was accepted, the same cut deletes them', async () => {
  const { rig, proxy, dlq, depth } = await setup(limited)
  await useUpReturns(rig, dlq, 2)
  const cut = cutWhileHeld(proxy)

  const look = lookAtQueue({ ...rig, queue: dlq, by: 'test', onMessage: () => {}, acceptDeliveryLimit: true })
  await expect(look).rejects.toMatchObject({ code: 'RECOVERY_INTERRUPTED' })
  await cut

  await eventually(async () => expect(await depth(dlq)).toBe(0))
})

const putPolicy = (queue: string, definition: object) =>
  broker.management('PUT', `/api/policies/${broker.vhost}/${queue}`, {
    pattern: `^${queue}$`,
    'apply-to': 'queues',
    priority: 1_000,
    definition,
  })

test('a queue behind the limit, by policy, catches what a cut line returns', slow, async () => {
  const { rig, proxy, dlq, look, declare, depth } = await setup(limited)
  const net = `${dlq}.over-limit`
  await useUpReturns(rig, dlq, 2)
  await declare(net, { 'x-queue-type': 'classic' })
  await putPolicy(dlq, {
    'dead-letter-exchange': '',
    'dead-letter-routing-key': net,
    'dead-letter-strategy': 'at-least-once',
    overflow: 'reject-publish',
  })
  const cut = cutWhileHeld(proxy)

  await eventually(() => expect(look()).rejects.toMatchObject({ code: 'RECOVERY_INTERRUPTED' }), patiently)
  await cut

  await eventually(async () => expect([await depth(dlq), await depth(net)]).toEqual([0, count]))
})

test.skipIf(isBefore4)(
  'a policy that lifts the default limit keeps messages that are at it',
  slow,
  async () => {
    const { rig, proxy, dlq, look, depth } = await setup({ 'x-queue-type': 'quorum' })
    await useUpReturns(rig, dlq, 20)
    await expect(look()).rejects.toMatchObject({ message: expect.stringContaining('"delivery-limit":-1') })
    await putPolicy(dlq, { 'delivery-limit': -1 })
    const cut = cutWhileHeld(proxy)

    await eventually(() => expect(look()).rejects.toMatchObject({ code: 'RECOVERY_INTERRUPTED' }), patiently)
    await cut

    await eventually(async () => expect(await depth(dlq)).toBe(count))
    expect((await eventually(look)).seen).toBe(count)
  },
)

test('a connection that is cut during a look at an unlimited queue loses nothing', async () => {
  const { proxy, dlq, look, depth } = await setup(undefined)
  const cut = cutWhileHeld(proxy)

  await expect(look()).rejects.toMatchObject({ code: 'RECOVERY_INTERRUPTED' })
  await cut

  await eventually(async () => expect(await depth(dlq)).toBe(count))
  expect((await eventually(look)).seen).toBe(count)
})

test('nothing is acknowledged any more once the broker has ended the consumer', async () => {
  const { rig, dlq, admin } = await setup(undefined)
  const channel = await rig.consuming.openChannel()
  const deliveries: Delivery[] = []
  const walk = new QueueWalk({
    channel,
    queue: dlq,
    count: count + 1,
    prefetch: 10,
    heldCount: () => deliveries.length,
    isWhole: true,
    returnsBehind: true,
    onDelivery: (delivery) => deliveries.push(delivery),
    onSentAhead: () => {},
  })
  const end = walk.run()
  await eventually(() => expect(deliveries).toHaveLength(count))

  await deleteQueue(admin, dlq)

  expect(await end).toBe('lost')
  expect(deliveries.map((delivery) => delivery.ack())).toEqual(Array(count).fill('stale'))
})

test('what is held goes back before the broker would take it', async () => {
  const { rig, dlq, depth } = await setup({ 'x-queue-type': 'quorum', 'x-consumer-timeout': 60_000 })
  const channel = await rig.consuming.openChannel()
  let held = 0
  const walk = new QueueWalk({
    channel,
    queue: dlq,
    count: count + 1,
    prefetch: 10,
    heldCount: () => held,
    maxHoldMs: 100,
    isWhole: true,
    returnsBehind: true,
    onDelivery: () => {
      held += 1
    },
    onSentAhead: () => {},
  })

  expect(await walk.run()).toBe('held-too-long')
  await walk.finish()
  await channel.close()

  await eventually(async () => expect(await depth(dlq)).toBe(count))
  const rules = await prepareLook({ ...rig, queue: dlq, acceptDeliveryLimit: true })
  expect(rules.maxHoldMs).toBe(48_000)
})
