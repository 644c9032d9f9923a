import { expect, test } from 'vitest'
import { startRedrive } from '../../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import { typed } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig, type RecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()
let number = 0

async function setup(args?: Parameters<RecoveryRig['declare']>[1]) {
  const rig = await createRecoveryRig(broker)
  number += 1
  const [work, dlq] = [`work-${number}`, `dlq-${number}`]
  await rig.declare(work)
  await rig.declare(dlq, args)
  return { ...rig, work, dlq }
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => String(from + index))
const from = (work: string) => () => ({ headers: { 'x-original-queue': work } })

test('a re-drive moves every dead letter to the queue it failed in, in order, and accounts for each', async () => {
  const { work, dlq, fill, redrive, drain, depth } = await setup()
  await fill(dlq, 1_000, from(work))

  const receipt = await redrive({ queue: dlq, reason: 'fixed the bug' })

  expect(receipt).toMatchObject({
    outcome: 'done',
    present: 1_000,
    moved: 1_000,
    failed: 0,
    kept: 0,
    stillThere: 0,
    arrivals: 0,
    missing: 0,
    duplicatesPossible: 0,
    isBalanced: true,
    reason: 'fixed the bug',
    targets: [{ target: work, moved: 1_000 }],
  })
  expect(await depth(dlq)).toBe(0)
  const moved = await drain(work)
  expect(moved.map(({ body }) => body)).toEqual(numbers(1_000))
  expect(moved[0]?.headers).toMatchObject({
    'x-redriven-by': 'test',
    'x-redriven-id': receipt.id,
    'x-redriven-count': 1,
    'x-redriven-reason': 'fixed the bug',
  })
})

test('a re-driven message keeps every property and header with its type, less what a broker would obey', async () => {
  const { work, dlq, publisher, redrive, drain } = await setup()
  const headers = {
    'x-original-queue': work,
    long: typed({ type: 'l', value: 5n }),
    short: typed({ type: 's', value: 5 }),
    bytes: Buffer.from([0, 255, 1]),
    nested: { list: [1, 'two', null, true] },
    CC: [`${dlq}-elsewhere`],
    'warren-attempts': 4,
  }
  const message = { contentType: 'a/b', correlationId: 'c', type: 't', priority: 3, appId: 'app' }
  await publisher.publish({
    ...message,
    key: dlq,
    body: 'x',
    headers,
    messageId: 'm',
    expirationMs: 3_600_000,
  })

  await redrive({ queue: dlq })

  const [moved] = await drain(work)
  expect(moved?.properties).toMatchObject({ ...message, messageId: 'm', deliveryMode: 2 })
  expect(moved?.properties.expiration).toBeUndefined()
  expect(moved?.headers).toMatchObject({ long: 5, short: 5, bytes: Buffer.from([0, 255, 1]) })
  expect(moved?.headers).not.toHaveProperty('CC')
  expect(moved?.headers).not.toHaveProperty('warren-attempts')
  expect(moved?.headers['warren-stripped']).toMatchObject({ expiration: '3600000' })
  expect(moved?.raw.includes(Buffer.from('\x04longl\0\0\0\0\0\0\0\x05', 'latin1'))).toBe(true)
  expect(moved?.raw.includes(Buffer.from('\x05shorts\0\x05', 'latin1'))).toBe(true)
})

test('messages without an origin are kept, in order, while the others move', async () => {
  const { work, dlq, fill, redrive, drain } = await setup({ 'x-queue-type': 'classic' })
  await fill(dlq, 1_500, (index) => (index % 3 === 0 ? {} : from(work)()))

  const receipt = await redrive({ queue: dlq, window: { messages: 50 } })

  expect(receipt).toMatchObject({ present: 1_500, moved: 1_000, kept: 500, failed: 0, isBalanced: true })
  expect(receipt.keptBecause).toEqual([{ reason: 'origin-unknown', count: 500 }])
  expect((await drain(dlq)).map(({ body }) => body)).toEqual(numbers(1_500).filter((_, i) => i % 3 === 0))
  expect((await drain(work)).map(({ body }) => body)).toEqual(numbers(1_500).filter((_, i) => i % 3 !== 0))
})

test('a target that does not exist is refused and nothing is made', async () => {
  const { dlq, fill, redrive, depth, management } = await setup()
  await fill(dlq, 10, from('nowhere'))

  const receipt = await redrive({ queue: dlq })

  expect(receipt).toMatchObject({ present: 10, moved: 0, kept: 10, isBalanced: true })
  expect(receipt.refusals).toEqual(['There is no queue "nowhere".'])
  expect(await depth(dlq)).toBe(10)
  expect(await management.queues.find({ vhost: broker.vhost, name: 'nowhere' })).toBeUndefined()
})

test('without the management API an unroutable message comes back and is kept', async () => {
  const { work, dlq, fill, redrive, depth } = await setup()
  await fill(dlq, 20, (index) => from(index === 7 ? 'nowhere' : work)())

  const receipt = await redrive({ queue: dlq, management: undefined, acceptDeliveryLimit: true })

  expect(receipt).toMatchObject({ present: 20, moved: 19, failed: 1, isBalanced: true })
  expect(receipt.failures).toEqual([{ kind: 'unroutable', count: 1, targets: ['nowhere'] }])
  expect(await depth(work)).toBe(19)
  expect(await depth(dlq)).toBe(1)
})

test('what a full target refuses stays in the dead-letter queue', async () => {
  const { dlq, declare, fill, redrive, depth } = await setup()
  const full = `${dlq}-full`
  await declare(full, { 'x-queue-type': 'classic', 'x-max-length': 5, 'x-overflow': 'reject-publish' })
  await fill(dlq, 20, from(full))

  const receipt = await redrive({ queue: dlq })

  expect(receipt.moved + receipt.failed).toBe(20)
  expect(receipt.failures).toEqual([{ kind: 'refused', count: receipt.failed, targets: [full] }])
  expect(receipt.isBalanced).toBe(true)
  expect(await depth(full)).toBe(receipt.moved)
  expect(await depth(dlq)).toBe(receipt.failed)
})

test.each([
  ['classic', 'every attempt would put a copy into'],
  ['quorum', 'drops its oldest message'],
])('a %s target that does not only refuse when it is full is left alone', async (type, words) => {
  const { dlq, declare, fill, redrive, depth } = await setup()
  const full = `${dlq}-${type}`
  const toDlq = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': dlq }
  const limit = { 'x-max-length': 1, 'x-overflow': 'reject-publish-dlx' }
  await declare(full, { 'x-queue-type': type, ...limit, ...toDlq })
  await fill(dlq, 6, from(full))

  const receipt = await redrive({ queue: dlq })

  expect(receipt).toMatchObject({ present: 6, moved: 0, failed: 0, kept: 6, isBalanced: true })
  expect(receipt.keptBecause).toEqual([{ reason: 'target-refused', count: 6 }])
  expect(receipt.refusals).toEqual([expect.stringContaining(words)])
  expect([await depth(dlq), await depth(full)]).toEqual([6, 0])
})

test('a limit moves so many from the head and leaves the rest untouched', async () => {
  const { work, dlq, fill, redrive, drain } = await setup()
  await fill(dlq, 50, from(work))

  const receipt = await redrive({ queue: dlq, limit: 10 })

  expect(receipt).toMatchObject({ present: 50, moved: 10, kept: 0, stillThere: 40, isBalanced: true })
  expect((await drain(work)).map(({ body }) => body)).toEqual(numbers(10))
  expect((await drain(dlq)).map(({ body }) => body)).toEqual(numbers(40, 10))
})

test('a limit counts what is moved, not what is passed over', async () => {
  const { work, dlq, fill, redrive, drain, depth } = await setup()
  await fill(dlq, 50, (index) => (index % 2 === 0 ? {} : from(work)()))

  const receipt = await redrive({ queue: dlq, limit: 5 })

  expect(receipt).toMatchObject({ present: 50, moved: 5, isBalanced: true })
  expect(receipt.kept + receipt.stillThere).toBe(45)
  expect((await drain(work)).map(({ body }) => body)).toEqual(['1', '3', '5', '7', '9'])
  expect(await depth(dlq)).toBe(45)
})

test('a second operator is told who works on the queue, and may start when the first is done', async () => {
  const { work, dlq, fill, redrive, consuming, publishing, management, depth } = await setup()
  const second = await createRecoveryRig(broker)
  await fill(dlq, 200, from(work))

  const first = startRedrive({ consuming, publishing, management, queue: dlq, by: 'ada', ratePerSecond: 20 })
  await expect.poll(() => depth(work)).toBeGreaterThan(0)
  await expect(second.redrive({ queue: dlq })).rejects.toMatchObject({
    code: 'RECOVERY_LOCKED',
    message: expect.stringContaining('ada'),
  })
  first.cancel()
  const cancelled = await first.receipt
  const rest = await redrive({ queue: dlq })

  expect(cancelled).toMatchObject({ outcome: 'cancelled', present: 200, isBalanced: true })
  expect(cancelled.moved + rest.moved).toBe(200)
  expect(await depth(work)).toBe(200)
})

test('what arrives during the run is not touched', async () => {
  const { work, dlq, fill, consuming, publishing, management, depth, drain } = await setup()
  await fill(dlq, 100, from(work))

  const run = startRedrive({ consuming, publishing, management, queue: dlq, by: 'test', ratePerSecond: 200 })
  await expect.poll(() => depth(work)).toBeGreaterThan(0)
  await fill(dlq, 30, (index) => ({ ...from(work)(), body: `late ${index}` }))
  const receipt = await run.receipt

  expect(receipt).toMatchObject({ present: 100, moved: 100, arrivals: 30, isBalanced: true })
  expect((await drain(work)).map(({ body }) => body)).toEqual(numbers(100))
  expect((await drain(dlq)).map(({ body }) => body)).toEqual(numbers(30).map((index) => `late ${index}`))
})

test('a paused re-drive moves nothing until it is resumed', async () => {
  const { work, dlq, fill, consuming, publishing, management, depth } = await setup()
  await fill(dlq, 40, from(work))
  const run = startRedrive({
    consuming,
    publishing,
    management,
    queue: dlq,
    by: 'test',
    window: { messages: 1 },
    onProgress: ({ moved }) => {
      if (moved === 10) run.pause()
    },
  })

  await expect.poll(() => run.progress).toMatchObject({ state: 'paused', moved: 10 })
  expect(await depth(work)).toBe(10)
  run.resume()

  expect(await run.receipt).toMatchObject({ present: 40, moved: 40, isBalanced: true })
})

test('a re-drive that is paused before it begins takes nothing out of the queue', async () => {
  const { work, dlq, fill, consuming, publishing, management, depth } = await setup()
  await fill(dlq, 40, from(work))
  const run = startRedrive({ consuming, publishing, management, queue: dlq, by: 'test' })
  run.pause()

  await expect.poll(() => run.progress.present).toBe(40)
  run.cancel()

  expect(await run.receipt).toMatchObject({
    outcome: 'cancelled',
    moved: 0,
    stillThere: 40,
    isBalanced: true,
  })
  expect([await depth(dlq), await depth(work)]).toEqual([40, 0])
})
