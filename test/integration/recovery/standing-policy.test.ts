import { expect, onTestFinished, test } from 'vitest'
import { lookAtQueue } from '../../../packages/warrenmq/src/recovery/look/look-at-queue.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()
const { vhost } = broker
const patiently = { timeoutMs: 60_000 }

/** A queue without a limit that the broker's statistics know, and a policy that gives it one. */
async function setup() {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const rig = await createRecoveryRig({ ...broker, consumingUrl: proxy.urlFor(broker.url) })
  const dlq = namePerTry('standing')
  const work = `${dlq}-work`
  await Promise.all([dlq, work].map((queue) => rig.declare(queue)))
  const { management } = rig
  const policy = { pattern: `^${dlq}$`, 'apply-to': 'queues', priority: 1 }
  return {
    ...rig,
    proxy,
    dlq,
    work,
    isKnown: () =>
      eventually(
        async () => expect(await management.queues.find({ vhost, name: dlq })).toHaveProperty('messages'),
        patiently,
      ),
    limit: () =>
      broker.management('PUT', `/api/policies/${vhost}/${dlq}`, {
        ...policy,
        definition: { 'delivery-limit': 1 },
      }),
    look: () => lookAtQueue({ ...rig, queue: dlq, by: 'test', onMessage: () => {} }),
  }
}

test('a limit that a policy has set a moment ago keeps a look away from the queue', async () => {
  const { dlq, fill, isKnown, look, limit } = await setup()
  await fill(dlq, 20)
  await isKnown()
  await look()

  await limit()

  await expect(look()).rejects.toMatchObject({
    code: 'RECOVERY_LOOK_REFUSED',
    message: expect.stringContaining('delivery limit of 1'),
  })
})

test('a re-drive whose queue is given a limit on the way takes nothing more after a lost connection, and none is lost', async () => {
  const { proxy, dlq, work, fill, isKnown, limit, redrive, depth, drain } = await setup()
  const count = 400
  await fill(dlq, count)
  await isKnown()
  const redriving = redrive({ queue: dlq, to: { kind: 'queue', queue: work }, ratePerSecond: 100 })
  await eventually(async () => expect(await depth(work)).toBeGreaterThan(20), patiently)

  await limit()
  proxy.cutAll()
  // Springs only if it takes messages once more: their second return would delete them.
  void proxy.cutAtFrame({ direction: 'to-client', classId: 60, methodId: 60, nth: 5 })
  const receipt = await redriving

  expect(receipt).toMatchObject({
    outcome: 'interrupted',
    isBalanced: true,
    missing: 0,
    refusals: [expect.stringContaining('delivery limit of 1')],
  })
  const bodies = [...(await drain(dlq)), ...(await drain(work))].map(({ body }) => body)
  expect(new Set(bodies).size).toBe(count)
})
