import { expect, test } from 'vitest'
import { clearLeftovers } from '../../../src/recovery/clear-leftovers.ts'
import { digestBody } from '../../../src/recovery/digest-message.ts'
import { createMoveHistory } from '../../../src/recovery/move-history.ts'
import { prepareLook } from '../../../src/recovery/prepare-look.ts'
import { eventually } from '../../support/eventually.ts'
import { publishUnnamed } from '../../support/publish-unnamed.ts'
import { createEmbeddedRig } from './embedded-rig.ts'

// Lines that break, and people who meddle, at the worst moments.

test('a limit is kept although messages were moved that nobody could count before the line broke', async () => {
  const { broker, redrive, consuming, depth } = await createEmbeddedRig({ clock: 'virtual' })
  broker.faults.changeConfirms({ kind: 'delay', delayMs: 1_000 }, { count: 2 })

  const run = redrive({ limit: 2, window: { messages: 2 } })
  await eventually(() => expect(depth('work')).toBe(2))
  await consuming.connection?.close()
  await broker.clock.advance('1s')

  expect(await run.receipt).toMatchObject({
    outcome: 'done',
    present: 6,
    moved: 2,
    stillThere: 4,
    missing: 0,
  })
  expect([depth('work'), depth('dlq')]).toEqual([2, 4])
})

test('a limit waits for messages that were moved before anybody could count them, behind others that stay', async () => {
  const { broker, redrive, consuming, depth } = await createEmbeddedRig({ clock: 'virtual' })
  broker.faults.changeConfirms({ kind: 'delay', delayMs: 1_000 }, { count: 2 })
  const select = ({ body }: { body: unknown }) => !['m-0', 'm-1'].includes(String(body))

  const run = redrive({ select, limit: 2, window: { messages: 4 } })
  await eventually(() => expect(depth('work')).toBe(2))
  await consuming.connection?.close()
  await broker.clock.advance('1s')

  expect(await run.receipt).toMatchObject({ outcome: 'done', present: 6, moved: 2, missing: 0, arrivals: 0 })
  expect([depth('work'), depth('dlq')]).toEqual([2, 4])
})

test('messages without an id that came again and wait for their turn are not counted twice when the line breaks', async () => {
  const { broker, publisher, redrive, consuming, depth } = await createEmbeddedRig({ count: 0 })
  const headers = { 'x-original-queue': 'work' }
  for (const body of ['a', 'b', 'c', 'd']) await publishUnnamed(publisher, { key: 'dlq', body, headers })
  void broker.faults.cutConnection('before-ack')
  const isLost = new Promise((resolve) => consuming.events.on('disconnected', resolve))

  const run = redrive({ window: { messages: 2 }, ratePerSecond: 2 })
  await isLost
  await eventually(() => expect(broker.inspect('dlq')?.counts.unacknowledged).toBe(0), { intervalMs: 1 })
  // The first has come again, and waits half a second.
  await eventually(() => expect(broker.inspect('dlq')?.counts.unacknowledged).toBe(2))
  await consuming.connection?.close()

  const receipt = await run.receipt
  expect(receipt).toMatchObject({ outcome: 'done', present: 4, moved: 4, arrivals: 0, isBalanced: true })
  expect(depth('dlq')).toBe(0)
  expect(depth('work')).toBeLessThanOrEqual(4 + receipt.duplicatesPossible)
})

test('nothing is done while messages are missing that somebody else took', async () => {
  const { admin, redrive, depth } = await createEmbeddedRig()

  const run = redrive()
  run.pause()
  await eventually(() => expect(run.progress.present).toBe(6))
  const taken = await admin.get('dlq')
  taken?.ack()
  await eventually(() => expect(depth('dlq')).toBe(5))
  run.resume()

  const expected = { outcome: 'interrupted', interruption: 'taken', present: 6, moved: 5, missing: 1 }
  expect(await run.receipt).toMatchObject({ ...expected, stillThere: 1, isBalanced: false })
})

test('leftovers are found again when the line breaks on which they were acknowledged once more', async () => {
  const { broker, consuming, publisher, task, depth } = await createEmbeddedRig({ count: 2 })
  const recent = createMoveHistory(4)
  const channel = await consuming.openChannel()
  // Both were handed out, published somewhere, and are in the queue again.
  for (const id of ['m-0', 'm-1']) {
    const delivery = (await channel.get('dlq'))!
    const { properties } = delivery
    const to = { exchange: '', key: 'work' }
    recent.add({ id, properties: Buffer.from(properties), digest: digestBody(delivery), isCounted: true, to })
  }
  await channel.close()
  await eventually(() => expect(depth('dlq')).toBe(2))
  const rules = await prepareLook(task)
  const leftovers = { session: consuming, queue: 'dlq', count: 2, window: 2, surplus: 2, isAllSeen: true }
  const clear = () => clearLeftovers({ ...leftovers, recent, publisher, rules })
  void broker.faults.cutConnection('before-ack')

  await expect(clear()).rejects.toThrow()
  recent.lineLost()
  await eventually(() => expect(depth('dlq')).toBe(2))

  expect(await clear()).toEqual({ cleared: 2, unproved: 0 })
  expect(depth('dlq')).toBe(0)
})
