import { expect, it } from 'vitest'
import { deleteQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { brokerCapabilities } from '../../../packages/warrenmq/src/message/broker-capabilities.ts'
import { parseBrokerVersion } from '../../../packages/warrenmq/src/message/broker-version.ts'
import { type HoldTask, holdMessages } from '../../../packages/warrenmq/src/recovery/look/hold-messages.ts'
import { createRecoveryRig } from '../../integration/recovery/recovery-rig.ts'
import { createVhostOn } from '../../support/create-vhost-on.ts'
import { eventually } from '../../support/eventually.ts'
import type { RabbitNode } from '../../support/start-rabbit-node.ts'

/** More than are sent ahead of a disk that takes nothing, so that the pass has to wait for it. */
const count = 100

async function setup(node: RabbitNode) {
  const { managementUrl, username, password } = node
  const { url } = await createVhostOn(node, 'look')
  const rig = await createRecoveryRig({ url, managementUrl, username, password })
  const queue = 'impatient.dlq'
  await rig.declare(queue)
  await rig.fill(queue, count)
  let seen = 0
  const disk = { isFull: true, onProgress: () => {} }
  const hold = (options: Partial<HoldTask> = {}) =>
    holdMessages({
      ...rig,
      queue,
      by: 'test',
      purpose: 'a backup',
      sink: disk,
      onMessage: () => {
        seen += 1
        return undefined
      },
      ...options,
    })
  const release = (): void => {
    disk.isFull = false
    disk.onProgress()
  }
  return { ...rig, queue, hold, release, seenCount: () => seen }
}

/** Looks that hold messages on a broker whose time-out nobody told us. */
export function testLongLooks(open: () => RabbitNode): void {
  it('takes back what is held for too long, and the error says so and what helps', async () => {
    const { queue, fill, hold, depth } = await setup(open())
    let later = 0

    let error: unknown
    // Who does not know the type of the queue cannot ask for more time either.
    const blind = { management: undefined, acceptDeliveryLimit: true }
    const holding = hold(blind).catch((problem: unknown) => {
      error = problem
    })
    // A 4.3 on a busy machine may wake a moment too early and then sleep until the queue has work to do.
    await eventually(
      async () => {
        await fill(queue, 1)
        later += 1
        expect(error).toBeDefined()
      },
      { intervalMs: 1_000 },
    )
    await holding

    expect(error).toMatchObject({
      code: 'RECOVERY_HELD_TOO_LONG',
      message: expect.stringMatching(/were not acknowledged.*consumer_timeout.*--hold/),
    })
    await eventually(async () => expect(await depth(queue)).toBe(count + later))
  })

  it('is given everything back before, where it was said how long it may be held', async () => {
    const { queue, hold, depth } = await setup(open())

    const report = await hold({ maxHoldMs: 500 })

    expect(report).toMatchObject({ present: count, isWhole: false, depth: count })
    expect(await depth(queue)).toBe(count)
  })

  it('gives a consumer of a quorum queue the time that it asks for, from 4.3 on', async ({ skip }) => {
    const { consumerTimeout } = brokerCapabilities(parseBrokerVersion(open().version))
    if (consumerTimeout !== 'cancels-quorum-consumer') skip()
    const { queue, admin, declare, fill, hold, release, seenCount } = await setup(open())
    const witness = `${queue}-witness`
    await declare(witness)
    await fill(witness, 1)

    const holding = hold().catch((problem: unknown) => problem)
    await eventually(() => expect(seenCount()).toBeGreaterThan(0))
    const ended: string[] = []
    admin.events.on('cancelled', ({ consumerTag }) => ended.push(consumerTag))
    await admin.setPrefetch(1)
    const tag = await admin.consume(witness, () => {}) // held from later on, and asks for nothing
    await eventually(
      async () => {
        await fill(witness, 1)
        expect(ended).toEqual([tag])
      },
      { intervalMs: 1_000 },
    )
    release()

    expect(await holding).toMatchObject({ present: count, seen: count, isWhole: true, depth: count })
  })

  it('is not blamed for a queue that somebody deleted', async () => {
    const { queue, admin, hold, seenCount } = await setup(open())

    const holding = hold().catch((problem: unknown) => problem)
    await eventually(() => expect(seenCount()).toBeGreaterThan(0))
    await deleteQueue(admin, queue)

    expect(await holding).toMatchObject({ code: 'RECOVERY_QUEUE_NOT_FOUND' })
  })
}
