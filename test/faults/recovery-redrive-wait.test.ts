import { expect, test } from 'vitest'
import type { RedriveOptions } from '../../src/recovery/redrive.ts'
import { createEmbeddedRig } from '../integration/recovery/embedded-rig.ts'
import { eventually } from '../support/eventually.ts'

/** A re-drive of six dead letters of which two are moved when `then` is called. */
async function setup(then: 'alarm' | 'pause', options: Partial<RedriveOptions> = {}) {
  const rig = await createEmbeddedRig()
  let failures = 0
  const run = rig.redrive({
    onProgress: ({ moved }) => {
      if (moved !== 2) return
      if (then === 'alarm') rig.broker.faults.block('memory')
      else run.pause()
    },
    onFailed: () => {
      failures += 1
    },
    ...options,
  })
  return { ...rig, run, failures: () => failures }
}

const allMoved = { outcome: 'done', present: 6, moved: 6, failed: 0, isBalanced: true }

test('a broker with an alarm is waited for, and the run goes on when the alarm is over', async () => {
  const { broker, run, depth } = await setup('alarm')

  await eventually(() => expect(run.progress.waitingMs).toBeGreaterThan(0))
  broker.faults.unblock()

  expect(await run.receipt).toMatchObject({ ...allMoved, duplicatesPossible: 0 })
  expect(run.progress).not.toHaveProperty('waitingMs')
  expect([depth('dlq'), depth('work')]).toEqual([0, 6])
})

test('what gets no answer before an alarm is over is tried again after it', async () => {
  const { broker, run, depth, failures } = await setup('alarm', { answerMs: 50 })

  await eventually(() => expect(failures()).toBe(1))
  broker.faults.unblock()

  const receipt = await run.receipt
  expect(receipt).toMatchObject({ ...allMoved, duplicatesPossible: 1 })
  expect(depth('dlq')).toBe(0)
  expect(depth('work') - 6).toBeLessThanOrEqual(1)
})

test('an alarm that lasts for longer than was said ends the run with a receipt that is counted', async () => {
  const waitMs = 300
  const { broker, run, depth } = await setup('alarm', {
    answerMs: 50,
    waitMs,
    onWait: (waitingMs) => {
      if (waitingMs >= waitMs) broker.faults.unblock() // too late: the time is over
    },
  })

  const receipt = await run.receipt

  expect(receipt).toMatchObject({ outcome: 'interrupted', interruption: 'away', isBalanced: true })
  expect(receipt.moved + receipt.failed + receipt.stillThere).toBe(6)
  expect(depth('dlq')).toBe(6 - receipt.moved)
})

test('a broker that stays away for longer than was said ends the run with what it knows', async () => {
  const { broker, run } = await setup('pause', { waitMs: 300 })
  await eventually(() => expect(run.progress).toMatchObject({ state: 'paused', moved: 2 }))

  run.resume()
  await broker.faults.crash()

  const receipt = await run.receipt
  expect(receipt).toMatchObject({ outcome: 'interrupted', interruption: 'away', isCounted: false })
  expect(receipt.moved + receipt.stillThere).toBe(6)
})

test.each(['an alarm', 'no line'] as const)(
  'a run that is ended while there is %s does not wait for answers that nobody can give',
  async (which) => {
    const { broker, consuming, run, depth } = await setup('alarm')
    await eventually(() => expect(run.progress.waitingMs).toBeGreaterThan(0))
    if (which === 'no line') {
      await broker.faults.crash()
      await eventually(() => expect(consuming.connection).toBeUndefined())
    }

    run.cancel()
    const receipt = await run.receipt

    expect(receipt).toMatchObject({ outcome: 'cancelled', duplicatesPossible: 1, failed: 0 })
    expect(receipt.moved + receipt.stillThere).toBe(6)
    if (which === 'an alarm') expect(depth('dlq')).toBe(receipt.stillThere)
    broker.faults.unblock()
  },
)

test('a run that is paused waits for its broker for as long as the pause lasts', async () => {
  const waitMs = 800
  const { broker, consuming, run, depth } = await setup('pause', { waitMs })
  await eventually(() => expect(run.progress).toMatchObject({ state: 'paused', moved: 2 }))
  await broker.faults.crash()
  await eventually(() => expect(consuming.connection).toBeUndefined())
  const awayAt = performance.now()
  await eventually(() => performance.now() - awayAt > waitMs + 200)

  await broker.faults.restart()
  run.resume()

  expect(await run.receipt).toMatchObject(allMoved)
  expect([depth('dlq'), depth('work')]).toEqual([0, 6])
})
