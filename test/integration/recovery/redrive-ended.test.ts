import { expect, onTestFinished, test } from 'vitest'
import { declareQueue, deleteQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { parseBrokerVersion } from '../../../packages/warrenmq/src/message/broker-version.ts'
import { OverLimitQueue } from '../../../packages/warrenmq/src/recovery/look/over-limit-queue.ts'
import { prepareLook } from '../../../packages/warrenmq/src/recovery/look/prepare-look.ts'
import { DeadWatch } from '../../../packages/warrenmq/src/recovery/redrive/dead-watch.ts'
import { eventually } from '../../support/eventually.ts'
import { createEmbeddedRig } from './embedded-rig.ts'

test('a session that is closed while the queue is counted leaves a receipt that says that nobody counted', async () => {
  const { redrive, consuming, depth, broker } = await createEmbeddedRig()

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

  const { moved, acksInDoubt = 0, ...told } = await receipt
  expect(told).toMatchObject({ outcome: 'cancelled', present: 6, isCounted: false })
  expect(moved + acksInDoubt).toBe(6)
})

test('a session that is closed in the middle of a pass leaves a receipt of what was moved', async () => {
  const { redrive, consuming, depth } = await createEmbeddedRig()

  const { receipt } = redrive({
    onProgress: ({ moved }) => {
      if (moved === 2) void consuming.close()
    },
  })

  expect(await receipt).toMatchObject({ outcome: 'cancelled', present: 6, isCounted: false })
  await eventually(() => expect(depth('dlq') + depth('work')).toBeGreaterThanOrEqual(6))
})

test('an error after messages were moved leaves a receipt with its words', async () => {
  const { redrive, depth } = await createEmbeddedRig()

  const { receipt } = redrive({
    select: ({ body }) => {
      if (body.toString() === 'm-3') throw new Error('There is no customer 3.')
      return true
    },
  })

  expect(await receipt).toMatchObject({
    outcome: 'interrupted',
    interruption: 'failed',
    present: 6,
    moved: 3,
    isBalanced: true,
    refusals: ['There is no customer 3.'],
  })
  expect([depth('work'), depth('dlq')]).toEqual([3, 3])
})

test('an error before anything was moved is the answer', async () => {
  const { redrive, depth } = await createEmbeddedRig()
  const select = () => {
    throw new Error('There is no customer 0.')
  }

  await expect(redrive({ select }).receipt).rejects.toThrow('There is no customer 0.')
  await eventually(() => expect([depth('work'), depth('dlq')]).toEqual([0, 6]))
})

test('a message that comes back is noticed, although others were moved aside', async () => {
  const { consuming: session, publisher, task } = await createEmbeddedRig()
  const headers = { 'x-redriven-id': 'this' }
  await publisher.publish({ key: 'dlq', body: 'again', messageId: 'again', headers })
  const look = await prepareLook(task)

  // Nine were there: one was moved, two are aside, six are left, and the one that was moved is dead again.
  const watch = new DeadWatch({
    session,
    publisher,
    queue: 'dlq',
    redriveId: 'this',
    deadLimit: undefined,
    canary: { messages: 1 },
    targets: () => [],
  })

  expect(await watch.judge(() => ({ moved: 1, left: 6, inHand: 0, look }))).toBe('stop')
  expect(watch.cameBack).toBe(1)
})

test('a queue for what is over the limit that cannot be made is told once, with its name and the cause', async () => {
  const { admin, consuming } = await createEmbeddedRig()
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
    message: expect.stringMatching(/"dlq\.over-limit" cannot be created: .*RESOURCE_LOCKED/),
  })
})

test('what is confirmed after its queue was deleted is moved, and only the rest is missing', async () => {
  const { broker, admin, redrive, depth } = await createEmbeddedRig({ clock: 'virtual' })
  broker.faults.changeConfirms({ kind: 'delay', delayMs: 1_000 }, { count: 3 })

  const run = redrive({ window: { messages: 3 } })
  await eventually(() => expect(depth('work')).toBe(3))
  await deleteQueue(admin, 'dlq')
  await broker.clock.advance('1s', { held: 'pass' })

  expect(await run.receipt).toMatchObject({
    outcome: 'interrupted',
    interruption: 'queue-deleted',
    present: 6,
    moved: 3,
    stillThere: 3,
    missing: 3,
    duplicatesPossible: 0,
    isBalanced: false,
    targets: [{ target: 'work', moved: 3 }],
  })
  expect(depth('work')).toBe(3)
})

test('an error after an ack was lost leaves a receipt that counts the message as there twice, and not as an arrival', async () => {
  const { broker, redrive, depth } = await createEmbeddedRig()
  void broker.faults.cutConnection('before-ack', { nth: 3 })

  const { receipt } = redrive({
    window: { messages: 2, bytes: 1 }, // two are taken, and one is under way at a time
    select: ({ body }) => {
      if (body.toString() === 'm-3') throw new Error('There is no customer 3.')
      return true
    },
  })

  expect(await receipt).toMatchObject({
    outcome: 'interrupted',
    interruption: 'failed',
    present: 6,
    moved: 2,
    stillThere: 4,
    arrivals: 0,
    missing: 0,
    duplicatesPossible: 1,
    isBalanced: true,
  })
  expect([depth('work'), depth('dlq')]).toEqual([3, 4])
})
