import { expect, onTestFinished, test } from 'vitest'
import { startRedrive } from '../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import { createRecoveryRig, type RecoveryRig } from '../integration/recovery/recovery-rig.ts'
import { eventually } from '../support/eventually.ts'
import { startProxy } from '../support/start-proxy.ts'
import { startRabbitNode } from '../support/start-rabbit-node.ts'
import { useBroker } from '../support/use-broker.ts'
import { testWithNode } from '../support/with-node.ts'

const broker = await useBroker()
const kibibyte = 1024

async function fillDlq({ declare, fill }: RecoveryRig, count: number, bodyBytes: number): Promise<void> {
  await declare('work')
  await declare('dlq')
  const headers = { 'x-original-queue': 'work' }
  await fill('dlq', count, () => ({ headers, body: Buffer.alloc(bodyBytes, 'x') }))
}

async function countCopies(rig: RecoveryRig) {
  const ids = (await rig.drain('work')).map(({ properties }) => properties.messageId)
  return { copies: ids.length, different: new Set(ids).size }
}

test('a re-drive has no more bytes under way than its window, and repeats no more when its connection is cut', async () => {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const rig = await createRecoveryRig({ ...broker, publishingUrl: proxy.urlFor(broker.url) })
  await fillDlq(rig, 40, 100 * kibibyte)
  // No confirm comes back, so all that may be under way is on its way.
  const silence = { kind: 'swallow', direction: 'to-client' } as const
  const isSilent = proxy.atFrame({ direction: 'to-client', classId: 60, methodId: 80 }, silence)

  const receipt = rig.redrive({ queue: 'dlq', window: { messages: 30, bytes: 500 * kibibyte } })
  await isSilent
  await eventually(async () => expect(await rig.depth('work')).toBeGreaterThanOrEqual(5))
  await eventually(async () => {
    // Whatever was sent has arrived: a queue that holds still has had the time to.
    const before = await rig.depth('work')
    for (let round = 0; round < 50; round += 1) await rig.depth('work')
    expect(await rig.depth('work')).toBe(before)
  })
  const underWay = await rig.depth('work')
  proxy.resume()
  proxy.cutAll()

  expect(underWay).toBe(5)
  expect(await receipt).toMatchObject({ outcome: 'done', present: 40, moved: 40, isBalanced: true })
  const { copies, different } = await countCopies(rig)
  expect(different).toBe(40)
  expect(copies - 40).toBeLessThanOrEqual(5)
  expect((await receipt).duplicatesPossible).toBeGreaterThanOrEqual(copies - 40)
})

testWithNode(
  'a memory alarm in the middle is waited for, and nothing is lost or moved twice',
  { timeout: 400_000 },
  async () => {
    const node = await startRabbitNode()
    onTestFinished(() => node.destroy())
    const { amqpUrl: url, managementUrl, username, password } = node
    const rig = await createRecoveryRig({ url, managementUrl, username, password })
    const { consuming, publishing, management } = rig
    await fillDlq(rig, 2_000, kibibyte)
    const setWatermark = (share: string) => node.rabbitmqctl('set_vm_memory_high_watermark', share)

    const run = startRedrive({
      consuming,
      publishing,
      management,
      queue: 'dlq',
      by: 'test',
      window: { messages: 100 },
      onProgress: ({ moved, state }) => {
        if (moved === 500 && state === 'moving') run.pause()
      },
    })
    await eventually(() => expect(run.progress.state).toBe('paused'))
    await setWatermark('0.000001')
    run.resume()
    await eventually(() => expect(run.progress.waitingMs).toBeGreaterThan(0))
    const before = run.progress
    expect(publishing.blockedReason).toMatch(/memory/)
    expect(consuming.blockedReason).toBeUndefined()
    expect(run.progress.moved).toBe(before.moved)
    await setWatermark('0.4')

    expect(await run.receipt).toMatchObject({
      outcome: 'done',
      present: 2_000,
      moved: 2_000,
      failed: 0,
      missing: 0,
      duplicatesPossible: 0,
      isBalanced: true,
    })
    expect(await rig.depth('dlq')).toBe(0)
    expect(await countCopies(rig)).toEqual({ copies: 2_000, different: 2_000 })
  },
)
