import { expect, test } from 'vitest'
import type { CutPoint } from '../../../packages/warrenmq/src/embedded/server/faults.ts'
import { previewRedrive } from '../../../packages/warrenmq/src/recovery/redrive/preview-redrive.ts'
import { type Redrive, startRedrive } from '../../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import type { PlainTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createEmbeddedRig, type EmbeddedRig } from './embedded-rig.ts'
import { createRecoveryRig } from './recovery-rig.ts'

// Equal messages: a publisher that got no answer sends again, and both fail in the same second. They are alike to the last byte.
const origin = { 'x-original-queue': 'work' }
const foreign = { key: 'dlq', body: 'foreign', messageId: 'foreign' }
const classic: PlainTable = { 'x-queue-type': 'classic' }

async function setup(fields: {
  bodies: readonly string[]
  queue: 'classic' | 'quorum'
}): Promise<EmbeddedRig> {
  const rig = await createEmbeddedRig({
    count: 0,
    clock: 'virtual',
    ...(fields.queue === 'classic' && { arguments: classic }),
  })
  for (const body of fields.bodies)
    await rig.publisher.publish({
      key: 'dlq',
      body,
      messageId: body,
      headers: origin,
      timestamp: new Date(0),
    })
  await previewRedrive(rig.task) // as the command does before it asks: every message was handed out once
  await eventually(() => expect(rig.depth('dlq')).toBe(fields.bodies.length))
  return rig
}

/** The second does not go before the connection is broken. */
function moveOneOfTwo(rig: EmbeddedRig, point: CutPoint): Redrive {
  let isBroken = false
  void rig.broker.faults.cutConnection(point)
  rig.consuming.events.on('disconnected', () => {
    isBroken = true
    run.resume()
  })
  const run = rig.redrive({
    window: { messages: 1 },
    onProgress: () => {
      if (!isBroken) run.pause()
    },
  })
  return run
}

/** Has another dead letter arrive while the first message is on its way. */
async function arriveMeanwhile({ broker, publisher, depth }: EmbeddedRig): Promise<void> {
  await eventually(() => expect(depth('work')).toBe(1))
  await publisher.publish(foreign)
  await broker.clock.advance('1s', { held: 'pass' })
}

test.each(['classic', 'quorum'] as const)(
  'in a %s queue a message that is equal to one that was moved stays, although another message arrived',
  async (queue) => {
    const rig = await setup({ bodies: ['equal', 'equal'], queue })
    rig.broker.faults.changeConfirms({ kind: 'delay', delayMs: 1_000 })

    const run = rig.redrive({ limit: 1 })
    await arriveMeanwhile(rig)

    const expected = { outcome: 'done', present: 2, moved: 1, stillThere: 1, missing: 0, isBalanced: true }
    expect(await run.receipt).toMatchObject({ ...expected, arrivals: 1, duplicatesPossible: 0 })
    expect([rig.depth('work'), rig.depth('dlq')]).toEqual([1, 2])
  },
)

test.each(['classic', 'quorum'] as const)(
  'in a %s queue a message that is equal to one that was moved before the connection broke is moved too',
  async (queue) => {
    const rig = await setup({ bodies: ['equal', 'equal'], queue })

    const { receipt } = moveOneOfTwo(rig, 'after-ack')

    // Nobody saw the ack arrive, but two are gone and nobody else was there.
    const expected = { outcome: 'done', present: 2, moved: 2, published: 2, missing: 0, arrivals: 0 }
    expect(await receipt).toMatchObject({ ...expected, duplicatesPossible: 1 })
    expect([rig.depth('work'), rig.depth('dlq')]).toEqual([2, 0])
  },
)

test.each(['classic', 'quorum'] as const)(
  'in a %s queue one of two equal messages that may have been moved before the connection broke goes once more',
  async (queue) => {
    const rig = await setup({ bodies: ['equal', 'equal'], queue })
    rig.broker.faults.changeConfirms({ kind: 'delay', delayMs: 1_000 })

    const run = moveOneOfTwo(rig, 'after-ack')
    await arriveMeanwhile(rig)

    const receipt = await run.receipt
    expect(receipt).toMatchObject({ outcome: 'done', present: 2, missing: 0, isBalanced: true })
    const { moved, acksInDoubt = 0 } = receipt
    expect(moved).toBeLessThanOrEqual(2)
    expect(moved + acksInDoubt).toBeGreaterThanOrEqual(2)
    expect([rig.depth('work'), rig.depth('dlq')]).toEqual([2, 1])
  },
)

test.each(['classic', 'quorum'] as const)(
  'in a %s queue a message whose ack was lost with the connection is published again, and counted once',
  async (queue) => {
    const rig = await setup({ bodies: ['a', 'b', 'c', 'd'], queue })
    rig.broker.faults.changeConfirms({ kind: 'delay', delayMs: 1_000 })

    const run = moveOneOfTwo(rig, 'before-ack')
    await arriveMeanwhile(rig)

    expect(await run.receipt).toMatchObject({
      outcome: 'done',
      present: 4,
      moved: 4,
      published: 5,
      duplicatesPossible: 1,
      arrivals: 1,
      missing: 0,
    })
    expect([rig.depth('work'), rig.depth('dlq')]).toEqual([5, 1])
  },
)

test.each(['classic', 'quorum'] as const)(
  'in a %s queue a message whose acks are lost with two connections is there three times, and the receipt says so',
  async (queue) => {
    const rig = await setup({ bodies: ['a', 'b', 'c', 'd'], queue })
    void rig.broker.faults
      .cutConnection('before-ack')
      .then(() => rig.broker.faults.cutConnection('before-ack'))

    const receipt = await rig.redrive({ window: { messages: 1 } }).receipt

    expect(receipt).toMatchObject({ outcome: 'done', present: 4, moved: 4, arrivals: 0, missing: 0 })
    expect(receipt).toMatchObject({ published: 6, duplicatesPossible: 2 })
    expect([rig.depth('work'), rig.depth('dlq')]).toEqual([6, 0])
  },
)

test('a message that was published and never acknowledged is not taken out uncounted by who counts at the end', async () => {
  const rig = await setup({ bodies: ['a', 'b', 'c'], queue: 'classic' })
  rig.broker.faults.changeConfirms({ kind: 'delay', delayMs: 1_000 })

  const run = rig.redrive()
  await eventually(() => expect(rig.depth('work')).toBe(1))
  await rig.publisher.publish(foreign)
  run.cancel()
  await rig.consuming.connection?.close()
  await rig.broker.clock.advance('1s', { held: 'pass' })

  const receipt = await run.receipt
  expect(receipt).toMatchObject({ outcome: 'cancelled', present: 3, moved: 0, stillThere: 3, missing: 0 })
  expect(receipt).toMatchObject({ arrivals: 1, isBalanced: true, duplicatesPossible: 1 })
  expect(rig.depth('dlq')).toBe(4)
})

const broker = await useBroker()

test.each(['classic', 'quorum'] as const)(
  'a real %s queue keeps a message that is equal to one that was moved, although another message arrived',
  async (type) => {
    const rig = await createRecoveryRig(broker)
    const [work, dlq] = [namePerTry('equal-work'), namePerTry('equal-dlq')]
    await rig.declare(work)
    await rig.declare(dlq, type === 'classic' ? classic : undefined)
    const headers = { 'x-original-queue': work }
    await rig.fill(dlq, 2, () => ({ body: 'equal', messageId: 'equal', headers, timestamp: new Date(0) }))
    const task = { ...rig, queue: dlq, by: 'test' }
    await previewRedrive(task)

    const run = startRedrive({ ...task, limit: 1 })
    run.pause()
    await eventually(() => expect(run.progress.present).toBe(2))
    await rig.fill(dlq, 1, () => ({ messageId: 'foreign' }))
    run.resume()

    expect(await run.receipt).toMatchObject({
      outcome: 'done',
      present: 2,
      moved: 1,
      stillThere: 1,
      missing: 0,
    })
    expect((await rig.drain(work)).map(({ body }) => body)).toEqual(['equal'])
    const left = (await rig.drain(dlq)).map(({ properties }) => properties.messageId)
    expect(left.toSorted()).toEqual(['equal', 'foreign'])
  },
)
