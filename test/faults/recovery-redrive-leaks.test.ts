import { expect, onTestFinished, test } from 'vitest'
import type { SessionEvents } from '../../packages/warrenmq/src/broker/amqp/session-events.ts'
import { openManagement } from '../../packages/warrenmq/src/broker/management/open-management.ts'
import type { EventSource } from '../../packages/warrenmq/src/events.ts'
import { takeLock } from '../../packages/warrenmq/src/recovery/lock/take-lock.ts'
import { startRedrive } from '../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import { createEmbeddedRig } from '../integration/recovery/embedded-rig.ts'
import { eventually } from '../support/eventually.ts'

/** Six dead letters, and how many channels the broker knows. */
async function setup() {
  const rig = await createEmbeddedRig()
  const url = new URL(rig.broker.managementUrl)
  const authorization = `Basic ${Buffer.from(`${url.username}:${url.password}`).toString('base64')}`
  const countChannels = async (): Promise<number> => {
    const answer = await fetch(new URL('/api/channels', url.origin), { headers: { authorization } })
    return ((await answer.json()) as unknown[]).length
  }
  return { ...rig, countChannels, before: await countChannels() }
}

test('a re-drive that is done leaves no channel open', async () => {
  const { redrive, countChannels, before } = await setup()

  await redrive({ canary: { messages: 2, waitMs: 20 }, stopWhenTargetAbove: 100 }).receipt

  await eventually(async () => expect(await countChannels()).toBe(before))
})

test('a re-drive that finds the queue locked leaves no channel and no listener', async () => {
  const { consuming, publishing, task, countChannels, broker } = await setup()
  const management = openManagement(broker.managementUrl)
  onTestFinished(() => management.close())
  const listeners = () => (publishing.events as EventSource<SessionEvents>).listenerCount('blocked')
  const lock = await takeLock({
    session: publishing,
    queue: 'dlq',
    holder: 'another',
    vhost: consuming.vhost,
  })
  const before = { channels: await countChannels(), listeners: listeners() }

  for (let round = 0; round < 3; round += 1) {
    await expect(startRedrive({ ...task, management }).receipt).rejects.toMatchObject({
      code: 'RECOVERY_LOCKED',
    })
  }

  await eventually(async () => expect(await countChannels()).toBe(before.channels))
  expect(listeners()).toBe(before.listeners)
  await lock.release()
})

test('a re-drive whose broker goes away time and again leaves no channel open', async () => {
  const { redrive, broker, countChannels, before, depth } = await setup()
  let cuts = 0

  const receipt = await redrive({
    onProgress: ({ moved }) => {
      if (moved % 2 === 1) void broker.faults.cutConnection('after-ack').then(() => (cuts += 1))
    },
  }).receipt

  expect(receipt).toMatchObject({ outcome: 'done', moved: 6, isBalanced: true })
  expect(cuts).toBeGreaterThan(1)
  expect(depth('dlq')).toBe(0)
  await eventually(async () => expect(await countChannels()).toBe(before))
})

test('a re-drive that is ended while the broker is away leaves no channel open when the broker is back', async () => {
  const { redrive, broker, consuming, publisher, countChannels } = await setup()
  const run = redrive({
    onProgress: ({ moved, state }) => {
      if (moved === 2 && state !== 'paused') run.pause()
    },
  })
  await eventually(() => expect(run.progress).toMatchObject({ state: 'paused', moved: 2 }))
  await broker.faults.crash()
  await eventually(() => expect(consuming.connection).toBeUndefined())
  run.cancel()
  expect(await run.receipt).toMatchObject({ outcome: 'cancelled', isCounted: false })

  await broker.faults.restart()
  await eventually(() => expect(consuming.connection).toBeDefined())
  await eventually(async () =>
    expect((await publisher.publish({ key: 'work', body: '' })).kind).toBe('confirmed'),
  )

  // The publisher of this test has one; the channel that made the queues is gone with its connection.
  await eventually(async () => expect(await countChannels()).toBe(1))
})
