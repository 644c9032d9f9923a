import { expect, onTestFinished, test } from 'vitest'
import { startRedrive } from '../../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig, unlimitedQuorum } from './recovery-rig.ts'

const broker = await useBroker()
let number = 0

/** A work queue whose consumer, once started, rejects what `isBad` says and takes the rest. */
async function setup(count: number) {
  const rig = await createRecoveryRig(broker)
  number += 1
  const [work, dlq] = [`guarded-${number}`, `guarded-dlq-${number}`]
  await rig.declare(dlq)
  await rig.declare(work, {
    ...unlimitedQuorum(broker.version),
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': dlq,
  })
  await rig.fill(dlq, count, () => ({ headers: { 'x-original-queue': work } }))
  const taken: string[] = []
  const startWorker = async (isBad: (body: string) => boolean) => {
    await rig.admin.setPrefetch(50)
    await rig.admin.consume(work, (delivery) => {
      const body = Buffer.concat([delivery.body].flat()).toString()
      if (isBad(body)) delivery.nack({ requeue: false })
      else {
        taken.push(body)
        delivery.ack()
      }
    })
  }
  const { consuming, publishing, management } = rig
  const parts = { consuming, publishing, management, queue: dlq, by: 'test' }
  return { ...rig, work, dlq, taken, startWorker, parts }
}

test('a canary whose messages come back dead stops the re-drive before the rest is sent', async () => {
  const { dlq, redrive, startWorker, depth } = await setup(200)
  await startWorker(() => true)

  const receipt = await redrive({ queue: dlq, canary: { messages: 5, waitMs: 20_000 } })

  expect(receipt).toMatchObject({
    outcome: 'came-back-dead',
    present: 200,
    moved: 5,
    stillThere: 195,
    isBalanced: true,
  })
  expect(receipt.cameBack).toBeGreaterThanOrEqual(1)
  expect(receipt.arrivals).toBeGreaterThanOrEqual(receipt.cameBack)
  await expect.poll(() => depth(dlq)).toBe(200)
})

test('a canary whose messages stay away is followed by all the others, and none is sent twice', async () => {
  const { dlq, taken, redrive, startWorker, depth } = await setup(300)
  await startWorker(() => false)

  const receipt = await redrive({ queue: dlq, canary: { messages: 5, waitMs: 50 } })

  expect(receipt).toMatchObject({ outcome: 'done', moved: 300, cameBack: 0, arrivals: 0, isBalanced: true })
  await expect.poll(() => taken.length).toBe(300)
  expect(new Set(taken).size).toBe(300)
  expect(await depth(dlq)).toBe(0)
})

test('a canary warns where what fails again goes to a queue that it does not look into', async () => {
  const { dlq, declare, fill, redrive } = await setup(0)
  const [spare, late] = [`${dlq}-spare`, `${dlq}-late`]
  await declare(late)
  const toLate = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': late }
  await declare(spare, { ...unlimitedQuorum(broker.version), ...toLate })
  await fill(dlq, 2)
  const warnings: string[] = []
  const keep = ({ message }: Error) => void warnings.push(message)
  process.on('warning', keep)
  onTestFinished(() => void process.off('warning', keep))
  const to = { kind: 'queue', queue: spare } as const

  const quiet = await redrive({ queue: dlq, to, limit: 1 })
  const watched = await redrive({ queue: dlq, to, canary: { messages: 1, waitMs: 10 } })

  expect([quiet.moved, watched.moved]).toEqual([1, 1])
  const ours = warnings.filter((message) => message.includes(`"${late}", where this re-drive does not look`))
  expect(ours).toHaveLength(1)
})

test('a canary says that it proves nothing where nobody consumes what it moved', async () => {
  const { dlq, work, redrive, startWorker, taken } = await setup(3)
  const warnings: string[] = []
  const keep = ({ message }: Error) => void warnings.push(message)
  process.on('warning', keep)
  onTestFinished(() => void process.off('warning', keep))
  const untried = () => warnings.filter((message) => message.includes('The canary proves nothing'))

  await redrive({ queue: dlq, limit: 2, canary: { messages: 1, waitMs: 10 } })
  expect(untried()).toEqual([expect.stringContaining(`what it moved to "${work}" is still there`)])

  await startWorker(() => false)
  await expect.poll(() => taken.length).toBe(2)
  await redrive({ queue: dlq, canary: { messages: 1, waitMs: 10 } })
  expect(untried()).toHaveLength(1)
})

test('messages that others dead-letter meanwhile do not stop a canary', async () => {
  const { dlq, fill, redrive, startWorker, depth } = await setup(100)
  await startWorker(() => false)
  let isFirst = true

  const receipt = await redrive({
    queue: dlq,
    canary: { messages: 5, waitMs: 300 },
    onProgress: () => {
      if (isFirst) void fill(dlq, 3, () => ({ body: 'late' }))
      isFirst = false
    },
  })

  expect(receipt).toMatchObject({ outcome: 'done', present: 100, moved: 100, cameBack: 0, arrivals: 3 })
  expect(await depth(dlq)).toBe(3)
})

test('a re-drive stops by itself when too many of its messages are dead again', async () => {
  const { dlq, redrive, startWorker, depth } = await setup(600)
  await startWorker(() => true)

  const receipt = await redrive({ queue: dlq, stopWhenDead: { messages: 20 }, ratePerSecond: 150 })

  expect(receipt.outcome).toBe('came-back-dead')
  expect(receipt.cameBack).toBeGreaterThanOrEqual(20)
  expect(receipt.moved).toBeLessThan(600)
  expect(receipt).toMatchObject({ present: 600, failed: 0, kept: 0, missing: 0 })
  await expect.poll(() => depth(dlq)).toBe(600)
})

test('so does one that has taken all of its messages, and sends them slowly', async () => {
  const { dlq, redrive, startWorker, depth } = await setup(100)
  await startWorker(() => true)

  const receipt = await redrive({ queue: dlq, stopWhenDead: { messages: 5 }, ratePerSecond: 20 })

  expect(receipt.outcome).toBe('came-back-dead')
  expect(receipt.cameBack).toBeGreaterThanOrEqual(5)
  expect(receipt.moved).toBeLessThan(100)
  expect(receipt).toMatchObject({ present: 100, failed: 0, kept: 0, missing: 0 })
  await expect.poll(() => depth(dlq)).toBe(100)
})

test('a target is not filled above the depth that was named', async () => {
  const { work, dlq, redrive, depth } = await setup(300)

  const receipt = await redrive({ queue: dlq, stopWhenTargetAbove: 40 })

  expect(receipt).toMatchObject({ outcome: 'target-too-deep', moved: 40, stillThere: 260, isBalanced: true })
  expect([await depth(work), await depth(dlq)]).toEqual([40, 260])
})

test('a target that is emptied meanwhile gets all, however low the depth that was named', async () => {
  const { work, dlq, taken, parts, startWorker, depth } = await setup(300)
  await startWorker(() => false)

  const run = startRedrive({ ...parts, stopWhenTargetAbove: 100 })

  expect(await run.receipt).toMatchObject({ outcome: 'done', moved: 300, isBalanced: true })
  await expect.poll(() => taken.length).toBe(300)
  expect([await depth(work), await depth(dlq)]).toEqual([0, 0])
})

test('one message is edited on its way back, and what it was stays with it', async () => {
  const { work, dlq, publisher, redrive, drain } = await setup(0)
  const headers = { 'x-original-queue': work, tenant: 'blu', wrong: 1 }
  await publisher.publish({ key: dlq, body: '{"amount":"12"}', messageId: 'a', headers })

  const receipt = await redrive({
    queue: dlq,
    limit: 1,
    edit: () => ({ body: '{"amount":12}', headers: { tenant: 'blue', wrong: null } }),
  })

  expect(receipt).toMatchObject({ moved: 1, isBalanced: true })
  const [moved] = await drain(work)
  expect(moved?.body).toBe('{"amount":12}')
  expect(moved?.properties.messageId).toBe('a')
  expect(moved?.headers).toMatchObject({ tenant: 'blue', 'x-redriven-count': 1 })
  expect(moved?.headers).not.toHaveProperty('wrong')
  expect(moved?.headers['warren-previous']).toEqual({
    body: Buffer.from('{"amount":"12"}'),
    headers: { tenant: 'blu', wrong: 1 },
  })
})

test('a body too large to be kept in a header is not edited, and the message stays', async () => {
  const { work, dlq, publisher, redrive, depth } = await setup(0)
  await publisher.publish({
    key: dlq,
    body: Buffer.alloc(70_000, 'x'),
    headers: { 'x-original-queue': work },
  })

  await expect(redrive({ queue: dlq, limit: 1, edit: () => ({ body: 'y' }) })).rejects.toMatchObject({
    code: 'RECOVERY_EDIT_TOO_LARGE',
  })

  await expect.poll(() => depth(dlq)).toBe(1)
  expect(await depth(work)).toBe(0)
})
