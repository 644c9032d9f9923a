import { expect, onTestFinished, test } from 'vitest'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()

test('a message whose ack was lost is not sent twice, whatever order the broker has given its headers since', async () => {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const rig = await createRecoveryRig({ ...broker, consumingUrl: proxy.urlFor(broker.url) })
  await rig.declare('work')
  await rig.declare('dlq')
  await rig.fill('dlq', 50, () => ({
    headers: { 'x-original-queue': 'work', tenant: 'acme', region: 'north' },
  }))
  const cut = proxy.cutAtFrame({ direction: 'to-broker', classId: 60, methodId: 80, where: 'before' })

  const receipt = await rig.redrive({ queue: 'dlq', window: { messages: 100 } })
  await cut

  expect(receipt).toMatchObject({ present: 50, moved: 50, failed: 0, kept: 0, isBalanced: true })
  expect(await rig.depth('dlq')).toBe(0)
  const found = (await rig.drain('work')).map(({ properties }) => properties.messageId)
  expect(found.toSorted()).toEqual(Array.from({ length: 50 }, (_, index) => `m-${index}`).toSorted())
})
