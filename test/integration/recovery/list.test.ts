import amqplib from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import {
  bindQueue,
  declareExchange,
  deleteQueue,
} from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import {
  type ListedQueue,
  listDeadLetters,
} from '../../../packages/warrenmq/src/recovery/look/list-dead-letters.ts'
import { eventually } from '../../support/eventually.ts'
import { createVhost } from '../../support/use-broker.ts'
import { createRecoveryRig } from './recovery-rig.ts'

/** A list shows all of a vhost, so that each test and each try has one of its own. */
async function openRig() {
  const broker = await createVhost()
  onTestFinished(broker.drop)
  return createRecoveryRig(broker)
}

/** Two work queues that dead-letter to one queue, one queue with a limit, and one that is named so. */
async function setup() {
  const rig = await openRig()
  await declareExchange(rig.admin, { exchange: 'dead', type: 'fanout' })
  const deadLetters = { 'x-queue-type': 'quorum', 'x-dead-letter-exchange': 'dead' }
  for (const name of ['orders', 'mails']) await rig.declare(name, deadLetters)
  await rig.declare('end')
  await rig.declare('old.dlq', { 'x-queue-type': 'classic' })
  await rig.declare('limited.dlq', { 'x-queue-type': 'quorum', 'x-delivery-limit': 3 })
  await rig.declare('idle.dlq', { 'x-queue-type': 'classic' })
  await bindQueue(rig.admin, { queue: 'end', exchange: 'dead', routingKey: '' })
  await rig.admin.consume('orders', () => {})
  // No look: it leaves the message to whoever is here first.
  for (let consumer = 0; consumer < 2; consumer += 1) await rig.admin.consume('idle.dlq', () => {})
  const failed = (index: number) => ({
    headers: {
      'x-original-queue': 'orders',
      'warren-error-type': index < 6 ? 'TimeoutError' : 'RangeError',
      'warren-last-failed-at': new Date(Date.UTC(2026, 0, 1, index)).toISOString(),
    },
  })
  await rig.fill('end', 8, failed)
  await rig.fill('old.dlq', 2)
  await rig.fill('limited.dlq', 5)
  return rig
}

const named = (queues: readonly ListedQueue[], name: string) => queues.find(({ queue }) => queue === name)

test('the dead-letter queues are listed with depth, oldest, origins and causes, the fullest first', async () => {
  const rig = await setup()

  const queues = await listDeadLetters({ ...rig, by: 'test' })

  expect(queues.map(({ queue, messages }) => [queue, messages])).toEqual([
    ['end', 8],
    ['limited.dlq', 5],
    ['old.dlq', 2],
    ['idle.dlq', 0],
  ])
  // Exact at once, and not when the statistics come.
  expect(named(queues, 'idle.dlq')).toMatchObject({ consumers: 2 })
  expect(named(queues, 'end')).toMatchObject({
    knownBy: 'dead-lettering',
    consumers: 0,
    oldest: '2026-01-01T00:00:00.000Z',
    looked: 8,
    notLookedAt: undefined,
    sources: expect.arrayContaining([
      { queue: 'orders', consumers: 1 },
      { queue: 'mails', consumers: 0 },
    ]),
    causes: [{ count: 6, label: expect.stringContaining('TimeoutError') }, { count: 2 }],
  })
  expect(named(queues, 'old.dlq')).toMatchObject({ knownBy: 'name', causes: [{ id: 'unknown', count: 2 }] })
  expect(named(queues, 'limited.dlq')).toMatchObject({
    looked: 0,
    causes: [],
    notLookedAt: expect.stringContaining('delivery limit of 3'),
  })
  expect(await rig.admin.get('limited.dlq')).toMatchObject({ isRedelivered: false })

  const sampled = await listDeadLetters({ ...rig, by: 'test', sample: 4 })
  expect(named(sampled, 'end')).toMatchObject({ messages: 8, looked: 4, causes: [{ count: 4 }] })

  const quick = await listDeadLetters({ ...rig, by: 'test', sample: 0 })
  expect(named(quick, 'end')).toMatchObject({ messages: 8, looked: 0, oldest: undefined, causes: [] })
})

test('a queue that cannot be reached is told in its row, and the others are listed', async () => {
  const rig = await openRig()
  for (const name of ['a-gone.dlq', 'b-reached.dlq', 'c-gone.dlq']) await rig.declare(name)
  await rig.fill('b-reached.dlq', 2)
  const { management } = rig
  // Deleted behind the reading of the topology, and before they are counted.
  const find: typeof management.queues.find = async (address) => {
    for (const queue of ['a-gone.dlq', 'c-gone.dlq']) await deleteQueue(rig.admin, queue)
    return management.queues.find(address)
  }

  const queues = await listDeadLetters({
    ...rig,
    by: 'test',
    management: { ...management, queues: { ...management.queues, find } },
  })

  expect(named(queues, 'b-reached.dlq')).toMatchObject({ messages: 2, looked: 2, notLookedAt: undefined })
  for (const name of ['a-gone.dlq', 'c-gone.dlq']) {
    expect(named(queues, name)).toMatchObject({
      looked: 0,
      causes: [],
      notLookedAt: expect.stringContaining(`no queue '${name}'`),
    })
  }
})

test("a time that no calendar has is nobody's age, and the list is told", async () => {
  const broker = await createVhost()
  onTestFinished(broker.drop)
  const rig = await createRecoveryRig(broker)
  for (const queue of ['micro.dlq', 'mixed.dlq']) await rig.declare(queue)
  const seconds = 1_700_000_000
  // Microseconds: by a client that sends what Warren's own publisher refuses.
  await publishTimed(broker.url, { 'micro.dlq': [seconds * 1e6], 'mixed.dlq': [seconds * 1e6, seconds] })

  const queues = await listDeadLetters({ ...rig, by: 'test' })

  expect(named(queues, 'micro.dlq')).toMatchObject({ messages: 1, looked: 1, oldest: undefined })
  expect(named(queues, 'mixed.dlq')).toMatchObject({ looked: 2, oldest: '2023-11-14T22:13:20.000Z' })
})

test('a queue that fills up is listed with its growth', async () => {
  const rig = await openRig()
  await rig.declare('growing.dlq')

  // The broker measures over its last seconds, so it has to go on growing until that shows.
  await eventually(
    async () => {
      await rig.fill('growing.dlq', 20)
      const queues = await listDeadLetters({ ...rig, by: 'test', sample: 0 })
      expect(named(queues, 'growing.dlq')?.growthPerMinute).toBeGreaterThan(0)
    },
    { timeoutMs: 40_000, intervalMs: 500 },
  )
})

async function publishTimed(url: string, timestamps: Readonly<Record<string, number[]>>): Promise<void> {
  const connection = await amqplib.connect(url)
  const channel = await connection.createConfirmChannel()
  for (const [queue, times] of Object.entries(timestamps))
    for (const timestamp of times) channel.sendToQueue(queue, Buffer.from('{}'), { timestamp })
  await channel.waitForConfirms()
  await connection.close()
}
