import { expect, test } from 'vitest'
import type { Delivery } from '../../../packages/warrenmq/src/broker/amqp/delivery.ts'
import type { Management } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { holdMessages } from '../../../packages/warrenmq/src/recovery/look/hold-messages.ts'
import { lookAtQueue } from '../../../packages/warrenmq/src/recovery/look/look-at-queue.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig, type RecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()
const deliveryLimit = 2
let number = 0

/** A queue whose messages are at their limit: whatever gives one back deletes it. */
async function setup(args: Parameters<RecoveryRig['declare']>[1] = {}) {
  const rig = await createRecoveryRig(broker)
  number += 1
  const dlq = `full-${number}.dlq`
  await rig.declare(dlq, { 'x-queue-type': 'quorum', 'x-delivery-limit': deliveryLimit, ...args })
  return { ...rig, dlq, task: { ...rig, queue: dlq, by: 'test', acceptDeliveryLimit: true } }
}

async function useUpLimit({ consuming, depth }: RecoveryRig, dlq: string, count: number): Promise<void> {
  for (let round = 0; round < deliveryLimit; round += 1) {
    await eventually(async () => expect(await depth(dlq)).toBe(count))
    const channel = await consuming.openChannel()
    const held: Delivery[] = []
    await channel.setPrefetch(count)
    await channel.consume(dlq, (delivery) => held.push(delivery))
    await eventually(() => expect(held).toHaveLength(count))
    await channel.close()
  }
  await eventually(async () => expect(await depth(dlq)).toBe(count))
}

/** The queue is read, and then it becomes fuller than it may be and refuses. */
function fillsUpAfterwards({ management, fill, publisher }: RecoveryRig, dlq: string): Management {
  let isFull = false
  const fillUp = async (): Promise<void> => {
    isFull = true
    await fill(dlq, 20, (index) => ({ messageId: `later-${index}`, body: `later-${index}` }))
    const definition = { 'max-length': 1, overflow: 'reject-publish' }
    const policy = { pattern: `^${dlq}$`, definition, priority: 1, 'apply-to': 'queues' }
    await broker.management('PUT', `/api/policies/${broker.vhost}/${dlq}`, policy)
    await eventually(async () => {
      const { kind } = await publisher.publish({ key: dlq, body: 'later-probe', mandatory: true })
      expect(kind).toBe('nacked')
    })
  }
  const filling: Management = {
    ...management,
    until: () => filling,
    queues: {
      ...management.queues,
      find: async (name) => {
        const found = await management.queues.find(name)
        if (!isFull) await fillUp()
        return found
      },
    },
  }
  return filling
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index))

async function bodiesIn({ drain }: RecoveryRig, queues: readonly string[]): Promise<string[]> {
  const bodies: string[] = []
  for (const queue of queues) bodies.push(...(await drain(queue)).map(({ body }) => body))
  return bodies.filter((body) => !body.startsWith('later-')).sort()
}

test('a queue that may refuse a copy of what it would delete is refused, accepted or not', async () => {
  const rig = await setup({ 'x-max-length': 10, 'x-overflow': 'reject-publish' })
  const { dlq, task, fill, depth } = rig
  await fill(dlq, 3)
  await useUpLimit(rig, dlq, 3)

  const look = lookAtQueue({ ...task, onMessage: () => {} })

  await expect(look).rejects.toMatchObject({
    code: 'RECOVERY_LOOK_REFUSED',
    message: expect.stringContaining('reject-publish'),
  })
  expect(await depth(dlq)).toBe(3)
  expect(await bodiesIn(rig, [dlq])).toEqual(numbers(3))
})

test('a look at a queue that becomes full meanwhile moves aside what it would delete, and says where', async () => {
  const rig = await setup()
  const { dlq, task, fill } = rig
  await fill(dlq, 5)
  await useUpLimit(rig, dlq, 5)

  const management = fillsUpAfterwards(rig, dlq)
  const look = lookAtQueue({ ...task, management, count: 5, onMessage: () => {} })

  await expect(look).rejects.toMatchObject({
    code: 'RECOVERY_MOVED_ASIDE',
    message: expect.stringContaining(`${dlq}.over-limit`),
  })
  expect(await bodiesIn(rig, [dlq, `${dlq}.over-limit`])).toEqual(numbers(5))
})

test('a re-drive from a queue that becomes full meanwhile loses nothing of what it keeps', async () => {
  const rig = await setup()
  const { dlq, task, fill, declare, redrive } = rig
  await declare('work')
  await fill(dlq, 5)
  await useUpLimit(rig, dlq, 5)

  const management = fillsUpAfterwards(rig, dlq)
  const receipt = await redrive({
    ...task,
    management,
    to: { kind: 'queue', queue: 'work' },
    select: ({ properties }) => properties.includes('m-0'),
  })

  expect(receipt).toMatchObject({ outcome: 'done', present: 5, moved: 1, kept: 4, movedAside: 4 })
  expect(receipt).toMatchObject({ isBalanced: true, missing: 0, arrivals: 20 })
  expect(await bodiesIn(rig, ['work'])).toEqual(['0'])
  expect(await bodiesIn(rig, [dlq, `${dlq}.over-limit`])).toEqual(['1', '2', '3', '4'])
})

test('a discard that fails before its acks loses nothing of what its queue would delete', async () => {
  const rig = await setup()
  const { dlq, task, fill, depth } = rig
  await fill(dlq, 5)
  await useUpLimit(rig, dlq, 5)

  const discard = holdMessages({
    ...task,
    purpose: 'a discard',
    onMessage: () => 'hold',
    whileHeld: () => Promise.reject(new Error('The disk is full.')),
  })

  await expect(discard).rejects.toThrow('The disk is full.')
  await eventually(async () => expect(await depth(dlq)).toBe(5))
  expect(await bodiesIn(rig, [dlq])).toEqual(numbers(5))
})
