import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteQueue } from '../../src/broker/amqp/operations.ts'
import { brokerCapabilities } from '../../src/message/broker-capabilities.ts'
import { parseBrokerVersion } from '../../src/message/broker-version.ts'
import { type HoldTask, holdMessages } from '../../src/recovery/hold-messages.ts'
import { createRecoveryRig } from '../integration/recovery/recovery-rig.ts'
import { eventually } from '../support/eventually.ts'
import { namePerTry } from '../support/name-per-try.ts'
import { startImpatientNode } from '../support/start-impatient-node.ts'
import type { RabbitNode } from '../support/start-rabbit-node.ts'
import { describeWithNode } from '../support/with-node.ts'

const consumerTimeoutMs = 6_000
/** More than are sent ahead of a disk that takes nothing, so that the pass has to wait for it. */
const count = 100

describeWithNode('a broker whose time-out nobody told us', () => {
  let node: RabbitNode
  beforeAll(async () => {
    node = await startImpatientNode(consumerTimeoutMs)
  })
  afterAll(() => node?.destroy())

  async function setup() {
    const { amqpUrl: url, managementUrl, username, password } = node
    const rig = await createRecoveryRig({ url, managementUrl, username, password })
    const queue = namePerTry('impatient.dlq')
    await rig.declare(queue)
    await rig.fill(queue, count)
    let seen = 0
    const disk = { isFull: true, onProgress: () => {} }
    const hold = (options: Partial<HoldTask> = {}) =>
      holdMessages({
        ...{ ...rig, queue, by: 'test', purpose: 'a backup', sink: disk },
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

  it('takes back what is held for too long, and the error says so and what helps', async () => {
    const { queue, fill, hold, depth } = await setup()
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
      message: expect.stringMatching(/waits no longer for an acknowledgement.*consumer_timeout.*maxHoldMs/),
    })
    await eventually(async () => expect(await depth(queue)).toBe(count + later))
  })

  it('is given everything back before, where it was said how long it may be held', async () => {
    const { queue, hold, depth } = await setup()

    const report = await hold({ maxHoldMs: 500 })

    expect(report).toMatchObject({ present: count, isWhole: false, depth: count })
    expect(await depth(queue)).toBe(count)
  })

  it('gives a consumer of a quorum queue the time that it asks for, from 4.3 on', async ({ skip }) => {
    const { consumerTimeout } = brokerCapabilities(parseBrokerVersion(node.version))
    if (consumerTimeout !== 'cancels-quorum-consumer') skip()
    const { queue, admin, declare, fill, hold, release, seenCount } = await setup()
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
    const { queue, admin, hold, seenCount } = await setup()

    const holding = hold().catch((problem: unknown) => problem)
    await eventually(() => expect(seenCount()).toBeGreaterThan(0))
    await deleteQueue(admin, queue)

    expect(await holding).toMatchObject({ code: 'RECOVERY_QUEUE_NOT_FOUND' })
  })
})
