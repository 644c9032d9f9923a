import { expect, onTestFinished, test } from 'vitest'
import { lockName } from '../../packages/warrenmq/src/recovery/lock/take-lock.ts'
import type { RedriveOptions } from '../../packages/warrenmq/src/recovery/redrive/redrive-options.ts'
import { createEmbeddedRig, type EmbeddedRigOptions } from '../integration/recovery/embedded-rig.ts'
import { eventually } from '../support/eventually.ts'
import { type BrokerProxy, startProxy } from '../support/start-proxy.ts'

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
  const { broker, run, depth, failures } = await setup('alarm', { answerMs: 1_000 })

  await eventually(() => {
    expect(run.progress.waitingMs).toBeGreaterThan(0)
    expect(failures()).toBe(1)
  })
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

test.each(['an alarm', 'no connection'] as const)(
  'a run that is ended while there is %s does not wait for answers that nobody can give',
  async (which) => {
    const { broker, consuming, run, depth } = await setup('alarm')
    await eventually(() => expect(run.progress.waitingMs).toBeGreaterThan(0))
    if (which === 'no connection') {
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
  const waitMs = 1_500
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

/** Six dead letters, and a connection of those who take them that can be cut. */
async function setupCuts(options: EmbeddedRigOptions = {}) {
  let proxy: BrokerProxy | undefined
  const rig = await createEmbeddedRig({
    consumingUrl: async (url) => {
      proxy = await startProxy({ target: Number(new URL(url).port) })
      return proxy.urlFor(url)
    },
    ...options,
  })
  onTestFinished(() => proxy!.close())
  return { ...rig, cut: () => proxy!.cutAll() }
}

const limited = { profile: '4.0', arguments: { 'x-queue-type': 'quorum' } } as const

test('no pass takes messages while there is an alarm: they would only go back, and that is counted', async () => {
  const { broker, consuming, redrive, cut, depth } = await setupCuts(limited)
  let waits = 0
  let passes = 0
  let failures = 0
  const run = redrive({
    answerMs: 1_000,
    onFailed: () => {
      failures += 1
    },
    onProgress: ({ moved }) => {
      if (moved === 2) broker.faults.block('memory')
    },
    onWait: () => {
      waits += 1
    },
    onAgain: () => {
      passes += 1
    },
    waitMs: 60_000,
  })
  await eventually(() => {
    expect(run.progress.waitingMs).toBeGreaterThan(0)
    expect(failures).toBe(1) // it was sent before the alarm was known
  })

  const lost = consuming.connection
  cut()
  await eventually(() => expect(consuming.connection).not.toBe(lost))
  await eventually(() => expect(broker.inspect(lockName('dlq'))).toBeDefined())
  const waitsBefore = waits
  await eventually(() => expect(waits).toBeGreaterThan(waitsBefore + 1))

  expect(passes).toBe(0)
  expect(broker.inspect('dlq')?.counts.unacknowledged).toBe(0)
  broker.faults.unblock()
  expect(await run.receipt).toMatchObject({ ...allMoved, duplicatesPossible: 1 })
  expect(depth('dlq')).toBe(0)
  expect(depth('work')).toBeGreaterThanOrEqual(6)
})

test('a queue with a limit is left alone when pass after pass is lost without a move', async () => {
  const { broker, redrive, cut, depth } = await setupCuts(limited)
  let cuts = 0
  const cutting = setInterval(() => {
    if (broker.inspect('dlq')?.counts.unacknowledged === 0) return
    cuts += 1
    cut()
  }, 20)
  onTestFinished(() => clearInterval(cutting))

  const receipt = await redrive({ ratePerSecond: 0.001, window: { messages: 400 } }).receipt

  expect(receipt).toMatchObject({ outcome: 'interrupted', interruption: 'no-progress', isBalanced: true })
  expect(receipt).toMatchObject({ moved: 0, stillThere: 6, missing: 0 })
  expect(cuts).toBeGreaterThanOrEqual(5)
  expect(depth('dlq')).toBe(6)
})

test('a canary is waited for longer than a broker would be, also after a connection was lost', async () => {
  const { consuming, redrive, cut, depth } = await setupCuts()
  const run = redrive({ canary: { messages: 2, waitMs: 3_000 }, waitMs: 2_000 })
  await eventually(() => expect(run.progress).toMatchObject({ state: 'watching', moved: 2 }))
  const lost = consuming.connection

  cut()
  await eventually(() => expect(consuming.connection).not.toBe(lost))

  expect(await run.receipt).toMatchObject({ ...allMoved, cameBack: 0 })
  expect([depth('dlq'), depth('work')]).toEqual([0, 6])
})
