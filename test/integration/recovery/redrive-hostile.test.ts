import { expect, test } from 'vitest'
import {
  bindQueue,
  declareExchange,
  declareQueue,
  deleteExchange,
  deleteQueue,
} from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { lookAtQueue } from '../../../packages/warrenmq/src/recovery/look/look-at-queue.ts'
import type { Receipt } from '../../../packages/warrenmq/src/recovery/receipt/receipt.ts'
import { startRedrive } from '../../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import type { RedriveOptions } from '../../../packages/warrenmq/src/recovery/redrive/redrive-options.ts'
import { eventually } from '../../support/eventually.ts'
import { createVhost, useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig, type RecoveryRig, unlimitedQuorum } from './recovery-rig.ts'

const broker = await useBroker()
let number = 0

async function setup(count: number, args?: Parameters<RecoveryRig['declare']>[1]) {
  const rig = await createRecoveryRig(broker)
  number += 1
  const [work, dlq] = [`work-${number}`, `dlq-${number}`]
  await rig.declare(work)
  await rig.declare(dlq, args)
  await rig.fill(dlq, count, () => ({ headers: { 'x-original-queue': work } }))
  const look = async () => {
    const report = await lookAtQueue({ ...rig, queue: dlq, by: 'test', onMessage: () => {} })
    await eventually(async () => expect(await rig.depth(dlq)).toBe(report.present))
    return report
  }
  return { ...rig, work, dlq, look }
}

const bodies = (messages: readonly { body: string }[]) => messages.map(({ body }) => body)
const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index))

/** Something happens when some are moved and others are held. */
async function redriveWith(
  rig: Pick<RecoveryRig, 'consuming' | 'publishing' | 'management'>,
  options: Partial<RedriveOptions> & { queue: string },
  happens: () => Promise<unknown>,
): Promise<Receipt> {
  const { consuming, publishing, management } = rig
  const run = startRedrive({
    consuming,
    publishing,
    management,
    by: 'test',
    window: { messages: 10 },
    ...options,
    onProgress: ({ moved }) => {
      if (moved === 25) run.pause()
    },
  })
  await eventually(() => expect(run.progress).toMatchObject({ state: 'paused' }))
  await happens()
  run.resume()
  return run.receipt
}

test('a queue that is deleted half way leaves a receipt of what was moved, and says what went with it', async () => {
  const rig = await setup(100)

  const receipt = await redriveWith(rig, { queue: rig.dlq }, () => deleteQueue(rig.admin, rig.dlq))

  expect(receipt).toMatchObject({ outcome: 'interrupted', interruption: 'queue-deleted', isBalanced: false })
  expect(receipt).toMatchObject({ present: 100, missing: 100 - receipt.moved })
  expect(receipt.moved).toBeGreaterThanOrEqual(25)
  const arrived = new Set(bodies(await rig.drain(rig.work)))
  expect(arrived.size).toBeGreaterThanOrEqual(receipt.moved)
})

test('an exchange that is deleted half way gets no more, and the rest stays', async () => {
  const rig = await setup(0)
  const exchange = `${rig.dlq}-events`
  await declareExchange(rig.admin, { exchange, type: 'topic' })
  await bindQueue(rig.admin, { queue: rig.work, exchange, routingKey: '#' })
  const headers = { 'x-original-exchange': exchange, 'x-original-routing-key': 'order.placed' }
  await rig.fill(rig.dlq, 100, () => ({ headers }))

  const options = { queue: rig.dlq, to: { kind: 'exchange' } } as const
  const receipt = await redriveWith(rig, options, () => deleteExchange(rig.admin, exchange))

  expect(receipt).toMatchObject({ outcome: 'done', failed: 100 - receipt.moved, isBalanced: true })
  const left = bodies(await rig.drain(rig.dlq))
  const arrived = bodies(await rig.drain(rig.work))
  expect(arrived).toHaveLength(receipt.moved)
  expect([...arrived, ...left].toSorted()).toEqual(numbers(100).toSorted())
})

test('a re-drive whose vhost is deleted can be ended, and says that nobody has counted', async () => {
  const vhost = await createVhost()
  const rig = await createRecoveryRig(vhost)
  await rig.declare('work')
  await rig.declare('dlq')
  await rig.fill('dlq', 100, () => ({ headers: { 'x-original-queue': 'work' } }))
  const ending = new AbortController()

  const receipt = await redriveWith(rig, { queue: 'dlq', signal: ending.signal }, async () => {
    await vhost.drop()
    ending.abort()
  })

  // The queues go first, then the permissions, then the connections: the run may hear of any of them before it is told.
  const { outcome, interruption, refusals } = receipt
  const heard = ['cancelled', 'interrupted queue-deleted', 'interrupted forbidden']
  expect(heard, refusals.join(' ')).toContain([outcome, interruption].filter(Boolean).join(' '))
  expect(receipt).toMatchObject({ isCounted: false, isBalanced: false })
  expect(receipt.moved + receipt.failed + receipt.stillThere + receipt.missing).toBe(100)
})

test('headers as large as a frame allows are moved, and those that leave no room for ours stay', async () => {
  const { dlq, work, fill, redrive, drain } = await setup(3)
  const large = (bytes: number) => ({ headers: { 'x-original-queue': work, big: 'x'.repeat(bytes) } })
  await fill(dlq, 1, () => ({ ...large(100 * 1024), body: 'large', messageId: 'large' }))
  await fill(dlq, 1, () => ({ ...large(130_900), body: 'full', messageId: 'full' }))
  await fill(dlq, 1, () => ({ headers: { 'x-original-queue': work }, body: 'last', messageId: 'last' }))

  const receipt = await redrive({ queue: dlq })

  expect(receipt).toMatchObject({ present: 6, moved: 5, failed: 1, isBalanced: true, duplicatesPossible: 0 })
  const moved = await drain(work)
  expect(bodies(moved)).toEqual(['0', '1', '2', 'large', 'last'])
  expect(moved[3]?.headers.big).toHaveLength(100 * 1024)
  expect(bodies(await drain(dlq))).toEqual(['full'])
})

test.runIf(broker.version.startsWith('3.'))(
  'a message above 16 MiB is moved where RabbitMQ takes it',
  async () => {
    const { dlq, work, fill, redrive, drain } = await setup(0)
    const body = 'x'.repeat(17 * 1024 * 1024)
    await fill(dlq, 2, () => ({ body, headers: { 'x-original-queue': work } }))

    expect(await redrive({ queue: dlq })).toMatchObject({ moved: 2, isBalanced: true })

    expect(bodies(await drain(work))).toEqual([body, body])
  },
)

test.each(['classic', 'quorum'] as const)(
  'a %s queue with a single active consumer is looked at and moved like any other',
  async (type) => {
    const args = type === 'classic' ? { 'x-queue-type': type } : unlimitedQuorum(broker.version)
    const { dlq, work, look, redrive, drain } = await setup(3_000, {
      ...args,
      'x-single-active-consumer': true,
    })

    expect(await look()).toMatchObject({ seen: 3_000, isWhole: true })
    const receipt = await redrive({ queue: dlq })

    expect(receipt).toMatchObject({ present: 3_000, moved: 3_000, isBalanced: true })
    expect(bodies(await drain(work))).toEqual(numbers(3_000))
  },
)

test('a queue whose single active consumer is somebody else is refused, because nothing would come', async () => {
  const { dlq, look, redrive, admin, depth } = await setup(5, {
    'x-queue-type': 'classic',
    'x-single-active-consumer': true,
  })
  await admin.setPrefetch(1)
  await admin.consume(dlq, () => {})

  await expect(look()).rejects.toMatchObject({ code: 'RECOVERY_LOOK_REFUSED' })
  await expect(redrive({ queue: dlq })).rejects.toMatchObject({ code: 'RECOVERY_LOOK_REFUSED' })

  await eventually(async () => expect(await depth(dlq)).toBe(4)) // one is with the other
})

test('a queue that would be deleted with its last consumer is refused, and keeps its messages', async () => {
  const { dlq, admin, publisher, redrive, depth, consuming, publishing, management } = await setup(0)
  const queue = `${dlq}-passing`
  await declareQueue(admin, { queue, autoDelete: true })
  await publisher.publish({ key: queue, body: 'evidence' })
  const look = lookAtQueue({
    consuming,
    publishing,
    management,
    queue,
    by: 'test',
    onMessage: () => {},
    acceptDeliveryLimit: true,
  })

  await expect(look).rejects.toMatchObject({
    code: 'RECOVERY_LOOK_REFUSED',
    message: expect.stringContaining('auto-delete'),
  })
  await expect(redrive({ queue })).rejects.toMatchObject({ code: 'RECOVERY_LOOK_REFUSED' })

  expect(await depth(queue)).toBe(1)
})

test('a queue that somebody else consumes exclusively is left alone, and that is told', async () => {
  const { dlq, admin, redrive, depth } = await setup(0, { 'x-queue-type': 'classic' })
  await admin.consume(dlq, () => {}, { exclusive: true })

  const moving = redrive({ queue: dlq })

  await expect(moving).rejects.toThrow('in exclusive use')
  expect(await depth(dlq)).toBe(0)
})

test('a stream takes dead letters like any other target', async () => {
  const { dlq, redrive, declare, depth } = await setup(30)
  await declare(`${dlq}-stream`, { 'x-queue-type': 'stream' })

  const receipt = await redrive({ queue: dlq, to: { kind: 'queue', queue: `${dlq}-stream` } })

  expect(receipt).toMatchObject({ moved: 30, failed: 0, isBalanced: true })
  expect(await depth(dlq)).toBe(0)
})

test('messages of a priority queue keep their priority, and a look does not turn their order round', async () => {
  const { dlq, work, look, fill, redrive, drain } = await setup(0, {
    'x-queue-type': 'classic',
    'x-max-priority': 5,
  })
  await fill(dlq, 20, (index) => ({ priority: index % 4, headers: { 'x-original-queue': work } }))
  const wanted = numbers(20).toSorted((one, other) => (Number(other) % 4) - (Number(one) % 4))

  await look()
  const receipts = [await redrive({ queue: dlq, limit: 7 }), await redrive({ queue: dlq })]

  expect(receipts).toMatchObject([
    { moved: 7, stillThere: 13 },
    { moved: 13, isBalanced: true },
  ])
  const moved = await drain(work)
  expect(bodies(moved)).toEqual(wanted)
  expect(moved.map(({ properties }) => properties.priority)).toEqual(wanted.map((body) => Number(body) % 4))
})
