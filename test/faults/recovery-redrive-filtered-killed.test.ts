import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { takeLock } from '../../packages/warrenmq/src/recovery/lock/take-lock.ts'
import { createRecoveryRig } from '../integration/recovery/recovery-rig.ts'
import { eventually } from '../support/eventually.ts'
import { useBroker } from '../support/use-broker.ts'

const broker = await useBroker()
const count = 4_000
const window = 10

test('a filtered re-drive that is killed -9 leaves no more than its window in both queues, and its rerun says that none arrived', async () => {
  const rig = await createRecoveryRig(broker)
  await rig.declare('work')
  await rig.declare('dlq')
  await rig.fill('dlq', count, () => ({ headers: { 'x-original-queue': 'work' } }))
  const script = new URL('../integration/recovery/redrive-process.ts', import.meta.url).pathname
  const urls = { consumingUrl: broker.url, publishingUrl: broker.url }
  const task = { ...urls, queue: 'dlq', window, limit: count, tellAt: 700, every: 2 }

  const child = spawn(process.execPath, ['--import', 'jiti/register', script, JSON.stringify(task)])
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { consuming: session } = rig
  await eventually(async () => {
    await (await takeLock({ session, queue: 'dlq', holder: 'test', vhost: session.vhost })).release()
  })
  const receipt = await rig.redrive({ queue: 'dlq' })

  expect(receipt).toMatchObject({ outcome: 'done', arrivals: 0, missing: 0, isBalanced: true })
  expect(await rig.depth('dlq')).toBe(0)
  const found = (await rig.drain('work')).map(({ properties }) => properties.messageId)
  expect(new Set(found).size).toBe(count)
  expect(found.length - count).toBeLessThanOrEqual(window)
})
