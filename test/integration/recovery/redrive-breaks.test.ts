import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { publishUnnamed } from '../../support/publish-unnamed.ts'
import { createEmbeddedRig } from './embedded-rig.ts'

// Connections that break, and people who meddle, at the worst moments.

test('a limit is kept although messages were published before the connection broke: the same ones go once more', async () => {
  const { broker, redrive, consuming, depth } = await createEmbeddedRig({ clock: 'virtual' })
  broker.faults.changeConfirms({ kind: 'delay', delayMs: 1_000 }, { count: 2 })

  const run = redrive({ limit: 2, window: { messages: 2 } })
  await eventually(() => expect(depth('work')).toBe(2))
  await consuming.connection?.close()
  await broker.clock.advance('1s', { held: 'pass' })

  expect(await run.receipt).toMatchObject({
    outcome: 'done',
    present: 6,
    moved: 2,
    stillThere: 4,
    missing: 0,
    duplicatesPossible: 2,
  })
  expect([depth('work'), depth('dlq')]).toEqual([4, 4])
})

test('a limit counts messages once that are published twice, behind others that stay', async () => {
  const { broker, redrive, consuming, depth } = await createEmbeddedRig({ clock: 'virtual' })
  broker.faults.changeConfirms({ kind: 'delay', delayMs: 1_000 }, { count: 2 })
  const select = ({ body }: { body: unknown }) => !['m-0', 'm-1'].includes(String(body))

  const run = redrive({ select, limit: 2, window: { messages: 4 } })
  await eventually(() => expect(depth('work')).toBe(2))
  await consuming.connection?.close()
  await broker.clock.advance('1s', { held: 'pass' })

  const expected = { outcome: 'done', present: 6, moved: 2, missing: 0, arrivals: 0, duplicatesPossible: 2 }
  expect(await run.receipt).toMatchObject(expected)
  expect([depth('work'), depth('dlq')]).toEqual([4, 4])
})

test('messages without an id that came again and wait for their turn are not counted twice when the connection breaks', async () => {
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
