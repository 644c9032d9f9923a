import { expect, onTestFinished, test } from 'vitest'
import { declareQueue } from '../../../src/broker/amqp/operations.ts'
import { Session } from '../../../src/broker/amqp/session.ts'
import { startEmbeddedBroker } from '../../../src/embedded/start-embedded-broker.ts'
import { parseBrokerVersion } from '../../../src/message/broker-version.ts'
import { Publisher } from '../../../src/publisher/publisher.ts'
import { OverLimitQueue } from '../../../src/recovery/over-limit-queue.ts'
import { prepareLook } from '../../../src/recovery/prepare-look.ts'
import { type RedriveOptions, startRedrive } from '../../../src/recovery/redrive.ts'
import { RedriveTally } from '../../../src/recovery/redrive-tally.ts'
import { RedriveWatch } from '../../../src/recovery/redrive-watch.ts'
import { toFieldTable } from '../../../src/wire/plain-fields.ts'
import { eventually } from '../../support/eventually.ts'
import { unlimitedQuorum } from './recovery-rig.ts'

/** Six dead letters, and a line for each who works on them. */
async function setup() {
  const broker = await startEmbeddedBroker({ profile: '3.10' })
  const [consuming, publishing] = [await Session.open(broker.url), await Session.open(broker.url)]
  onTestFinished(async () => {
    await Promise.all([consuming.close(), publishing.close()])
    await broker.stop()
  })
  const admin = await publishing.openChannel()
  const args = toFieldTable(unlimitedQuorum(consuming.broker.version))
  for (const queue of ['dlq', 'work']) await declareQueue(admin, { queue, arguments: args })
  const publisher = new Publisher(publishing)
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await publisher.publish({ key: 'dlq', body: id, messageId: id, headers: { 'x-original-queue': 'work' } })
  }
  const task = { consuming, publishing, queue: 'dlq', by: 'test', acceptDeliveryLimit: true }
  const redrive = (options: Partial<RedriveOptions> = {}) =>
    startRedrive({ ...task, window: { messages: 1 }, ...options })
  const depth = (queue: string) => broker.inspect(queue)?.counts.ready ?? 0
  return { broker, consuming, publishing, admin, publisher, task, redrive, depth }
}

test('a session that is closed while the queue is counted leaves a receipt that says that nobody counted', async () => {
  const { redrive, consuming, depth, broker } = await setup()

  const { receipt } = redrive({ window: { messages: 10 } })
  // All are moved and their consumer is gone: what still goes on is the count.
  await eventually(
    () => {
      expect(depth('work')).toBe(6)
      expect(broker.inspect('dlq')?.counts).toMatchObject({ unacknowledged: 0 })
    },
    { intervalMs: 1 },
  )
  await consuming.close()

  expect(await receipt).toMatchObject({ present: 6, moved: 6, isCounted: false })
})

test('a session that is closed in the middle of a pass leaves a receipt of what was moved', async () => {
  const { redrive, consuming, depth } = await setup()

  const { receipt } = redrive({
    onProgress: ({ moved }) => {
      if (moved === 2) void consuming.close()
    },
  })

  expect(await receipt).toMatchObject({ outcome: 'cancelled', present: 6, isCounted: false })
  await eventually(() => expect(depth('dlq') + depth('work')).toBeGreaterThanOrEqual(6))
})

test('an error after messages were moved leaves a receipt with its words', async () => {
  const { redrive, depth } = await setup()

  const { receipt } = redrive({
    select: ({ body }) => {
      if (body.toString() === 'd') throw new Error('There is no customer d.')
      return true
    },
  })

  expect(await receipt).toMatchObject({
    ...{ outcome: 'interrupted', interruption: 'failed', present: 6, moved: 3, isBalanced: true },
    refusals: ['There is no customer d.'],
  })
  expect([depth('work'), depth('dlq')]).toEqual([3, 3])
})

test('an error before anything was moved is the answer', async () => {
  const { redrive, depth } = await setup()
  const select = () => {
    throw new Error('There is no customer a.')
  }

  await expect(redrive({ select }).receipt).rejects.toThrow('There is no customer a.')
  await eventually(() => expect([depth('work'), depth('dlq')]).toEqual([0, 6]))
})

test('a message that comes back is noticed, although others were moved aside', async () => {
  const { consuming: session, publisher, task } = await setup()
  const headers = { 'x-redriven-id': 'this' }
  await publisher.publish({ key: 'dlq', body: 'again', messageId: 'again', headers })
  const rules = await prepareLook(task)
  rules.aside.count = 2
  const tally = new RedriveTally()
  tally.countMove({ exchange: '', key: 'work' }, { id: 'cause', label: 'cause' })

  // Nine were there: one was moved, two are aside, six are left, and the one that was moved is dead again.
  const watch = new RedriveWatch({
    ...{ session, publisher, queue: 'dlq', redriveId: 'this', rules, tally, present: 9 },
    ...{ deadLimit: undefined, canary: { messages: 1 } },
  })

  expect(await watch.judge()).toBe('stop')
  expect(watch.cameBack).toBe(1)
})

test('a queue for what is over the limit that cannot be made is told once, with its name and the cause', async () => {
  const { admin, consuming } = await setup()
  await declareQueue(admin, { queue: 'dlq.over-limit', exclusive: true, durable: false })
  const warnings: Error[] = []
  const listen = (warning: Error): void => void warnings.push(warning)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))

  const aside = new OverLimitQueue({
    session: consuming,
    queue: 'dlq',
    version: parseBrokerVersion('3.10.0'),
  })
  const answers = [await aside.open(), await aside.open()]

  expect(answers).toEqual([false, false])
  await eventually(() => expect(warnings).toHaveLength(1))
  expect(warnings[0]).toMatchObject({
    code: 'WARREN_NO_OVER_LIMIT_QUEUE',
    message: expect.stringMatching(/"dlq\.over-limit" cannot be made: .*RESOURCE_LOCKED/),
  })
})
