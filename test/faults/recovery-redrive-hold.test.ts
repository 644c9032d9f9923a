import { describe, expect, it } from 'vitest'
import type { EmbeddedBrokerOptions } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { type Redrive, startRedrive } from '../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import type { RedriveOptions } from '../../packages/warrenmq/src/recovery/redrive/redrive-options.ts'
import { createEmbeddedRig } from '../integration/recovery/embedded-rig.ts'
import { eventually } from '../support/eventually.ts'

const present = 6

/** A broker of its own with six dead letters, and how to put them back. */
async function setup(options: EmbeddedBrokerOptions) {
  const { broker, consuming, task } = await createEmbeddedRig(options)
  const start = (wanted: Partial<RedriveOptions>): Redrive => startRedrive({ ...task, ...wanted })
  return { broker, consuming, start }
}

const allMoved = { outcome: 'done', moved: present, duplicatesPossible: 0, missing: 0, isBalanced: true }
const oneByOne = { window: { messages: 1 } }

describe.each(['3.10', '4.0', '4.3'] as const)('on RabbitMQ %s', (profile) => {
  it('a re-drive goes on after the broker took back what was held for too long', async () => {
    const { broker, start } = await setup({ profile, clock: 'virtual' })
    const run = start({
      ...oneByOne,
      onProgress: ({ moved, state }) => {
        if (moved === 2 && state !== 'paused') run.pause()
      },
    })
    await eventually(() =>
      expect(broker.inspect('dlq')?.counts).toMatchObject({ ready: 3, unacknowledged: 1 }),
    )

    await broker.clock.advance('32m', { held: 'pass' })
    await eventually(() =>
      expect(broker.inspect('dlq')?.counts).toMatchObject({ ready: 4, unacknowledged: 0 }),
    )
    run.resume()

    expect(await run.receipt).toMatchObject(allMoved)
    expect(broker.inspect('dlq')?.counts).toMatchObject({ ready: 0, unacknowledged: 0 })
    expect(broker.inspect('work')?.counts).toMatchObject({ ready: present })
  })

  it('a re-drive that is paused gives back what it holds in time, and takes it again', async () => {
    const { broker, start } = await setup({ profile })
    const run = start({
      maxHoldMs: 1_000,
      ...oneByOne,
      onProgress: ({ moved, state }) => {
        if (moved === 2 && state !== 'paused') run.pause()
      },
    })
    await eventually(() =>
      expect(broker.inspect('dlq')?.counts).toMatchObject({ ready: 4, unacknowledged: 0 }),
    )
    expect(run.progress).toMatchObject({ state: 'paused', moved: 2 })

    run.resume()

    expect(await run.receipt).toMatchObject(allMoved)
    expect(broker.inspect('work')?.counts).toMatchObject({ ready: present })
  })

  it('a rate so low that messages would be held for too long makes more passes', async () => {
    const { broker, start } = await setup({ profile })
    let passes = 1

    const receipt = await start({
      maxHoldMs: 1_000,
      ratePerSecond: 4,
      onAgain: () => {
        passes += 1
      },
    }).receipt

    expect(receipt).toMatchObject(allMoved)
    expect(passes).toBeGreaterThan(1)
    expect(broker.inspect('work')?.counts).toMatchObject({ ready: present })
  })

  it('a canary that is waited for gives the rest back in time, and the rest follows', async () => {
    const { broker, start } = await setup({ profile })
    const run = start({ maxHoldMs: 500, canary: { messages: 2, waitMs: 2_000 } })

    await eventually(() => {
      expect(broker.inspect('dlq')?.counts).toMatchObject({ ready: 4, unacknowledged: 0 })
      expect(run.progress).toMatchObject({ state: 'watching', moved: 2 })
    })

    expect(await run.receipt).toMatchObject({ ...allMoved, cameBack: 0 })
    expect(broker.inspect('work')?.counts).toMatchObject({ ready: present })
  })
})

const uncounted = { isCounted: false, isBalanced: false, missing: 0, arrivals: 0 }

it('a re-drive that is cancelled while the broker is away ends with what it knows', async () => {
  const { broker, consuming, start } = await setup({ profile: '4.0' })
  const run = start({
    ...oneByOne,
    onProgress: ({ moved, state }) => {
      if (moved === 2 && state !== 'paused') run.pause()
    },
  })
  await eventually(() => expect(run.progress).toMatchObject({ state: 'paused', moved: 2 }))
  // The third message proves the ack of the second, and what is asked now is answered behind it.
  await eventually(() => expect(broker.inspect('dlq')?.counts).toMatchObject({ unacknowledged: 1 }))
  await consuming.openChannel()
  await broker.faults.crash()
  await eventually(() => expect(consuming.connection).toBeUndefined())
  run.resume()

  run.cancel()

  const stillThere = { present, moved: 2, stillThere: 4 }
  expect(await run.receipt).toMatchObject({ outcome: 'cancelled', ...stillThere, ...uncounted })
})

/** A re-drive that waits for its canary when the broker goes away. */
async function watchCanaryAlone() {
  const { broker, consuming, start } = await setup({ profile: '4.0' })
  const run = start({ canary: { messages: 2, waitMs: 3_600_000 } })
  await eventually(() => expect(run.progress).toMatchObject({ state: 'watching', moved: 2 }))
  await broker.faults.crash()
  await eventually(() => expect(consuming.connection).toBeUndefined())
  return { broker, run }
}

it('a re-drive that is cancelled while it waits for a canary and the broker is away ends as well', async () => {
  const { run } = await watchCanaryAlone()

  run.cancel()

  expect(await run.receipt).toMatchObject({ outcome: 'cancelled', present, moved: 2, ...uncounted })
})

it('a re-drive that is cancelled while the broker is away for a moment still counts', async () => {
  const { broker, run } = await watchCanaryAlone()

  run.cancel()
  await broker.faults.restart()

  const receipt = await run.receipt
  expect(receipt).toMatchObject({ outcome: 'cancelled', present, moved: 2, stillThere: 4, isBalanced: true })
  expect(receipt).not.toHaveProperty('isCounted')
  expect(broker.inspect('dlq')?.counts).toMatchObject({ ready: 4, unacknowledged: 0 })
})
