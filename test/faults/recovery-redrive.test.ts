import { expect, onTestFinished, test } from 'vitest'
import {
  bindQueue,
  declareExchange,
  unbindQueue,
} from '../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { startRedrive } from '../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import { createRecoveryRig, type RecoveryRig } from '../integration/recovery/recovery-rig.ts'
import { eventually } from '../support/eventually.ts'
import { startProxy } from '../support/start-proxy.ts'
import { startRabbitNode } from '../support/start-rabbit-node.ts'
import { useBroker } from '../support/use-broker.ts'
import { testWithNode } from '../support/with-node.ts'

const broker = await useBroker()
const window = 100
let number = 0

async function setup(rig: RecoveryRig, count: number) {
  number += 1
  const [work, dlq] = [`work-${number}`, `dlq-${number}`]
  await rig.declare(work)
  await rig.declare(dlq)
  await rig.fill(dlq, count, () => ({ headers: { 'x-original-queue': work } }))
  return { work, dlq }
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `m-${index}`)

/** Every id is there at least once; the rest are copies of the same ids. */
async function countCopies(rig: RecoveryRig, queue: string, count: number): Promise<number> {
  const found = (await rig.drain(queue)).map(({ properties }) => properties.messageId)
  expect([...new Set(found)].toSorted()).toEqual(ids(count).toSorted())
  return found.length - count
}

test.each(['consuming', 'publishing'] as const)(
  'a %s connection that is cut loses nothing, and the run goes on',
  async (which) => {
    const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
    onTestFinished(() => proxy.close())
    const rig = await createRecoveryRig({ ...broker, [`${which}Url`]: proxy.urlFor(broker.url) })
    const { work, dlq } = await setup(rig, 3_000)
    let isCut = false

    const receipt = await rig.redrive({
      queue: dlq,
      window: { messages: window },
      onProgress: ({ moved }) => {
        if (moved < 1_000 || isCut) return
        isCut = true
        proxy.cutAll()
      },
    })

    expect(isCut).toBe(true)
    expect(receipt).toMatchObject({ present: 3_000, moved: 3_000, failed: 0, kept: 0, isBalanced: true })
    expect(await rig.depth(dlq)).toBe(0)
    const copies = await countCopies(rig, work, 3_000)
    expect(copies).toBeLessThanOrEqual(receipt.duplicatesPossible)
    expect(copies).toBeLessThanOrEqual(window)
  },
)

test('a target that is unbound half way gets no more, and the rest stays', async () => {
  const rig = await createRecoveryRig(broker)
  const { work, dlq } = await setup(rig, 0)
  await declareExchange(rig.admin, { exchange: `${dlq}-events`, type: 'topic' })
  const binding = { queue: work, exchange: `${dlq}-events`, routingKey: 'order.*' }
  await bindQueue(rig.admin, binding)
  const origin = { 'x-original-exchange': `${dlq}-events`, 'x-original-routing-key': 'order.placed' }
  await rig.fill(dlq, 500, () => ({ headers: origin }))
  const { consuming, publishing, management } = rig
  const to = { kind: 'exchange' } as const

  let hasPaused = false
  const run = startRedrive({
    consuming,
    publishing,
    management,
    queue: dlq,
    to,
    by: 'test',
    window: { messages: window },
    onProgress: ({ moved }) => {
      if (moved < 20 || hasPaused) return
      hasPaused = true
      run.pause()
    },
  })
  await eventually(() => expect(run.progress.state).toBe('paused'))
  await unbindQueue(rig.admin, binding)
  run.resume()
  const receipt = await run.receipt

  expect(receipt.moved).toBeGreaterThanOrEqual(20)
  expect(receipt.failed).toBeGreaterThan(0)
  expect(receipt).toMatchObject({ present: 500, moved: 500 - receipt.failed, isBalanced: true })
  expect(await rig.depth(work)).toBe(receipt.moved)
  expect(await rig.depth(dlq)).toBe(receipt.failed)
})

test('a slow line makes a re-drive slow and nothing else', async () => {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const url = proxy.urlFor(broker.url)
  const rig = await createRecoveryRig({ ...broker, consumingUrl: url, publishingUrl: url })
  const { work, dlq } = await setup(rig, 300)
  proxy.delay(10)

  const receipt = await rig.redrive({ queue: dlq, window: { messages: window } })

  expect(receipt).toMatchObject({ present: 300, moved: 300, duplicatesPossible: 0, isBalanced: true })
  expect(await countCopies(rig, work, 300)).toBe(0)
})

test('a queue that others fill all the while is moved as it was at the start', async () => {
  const rig = await createRecoveryRig(broker)
  const { work, dlq } = await setup(rig, 2_000)
  let published = 0
  let isOver = false
  const produce = async (): Promise<void> => {
    while (!isOver) {
      const late = { key: dlq, body: 'late', messageId: `late-${published}` }
      if ((await rig.publisher.publish(late)).kind !== 'confirmed') return
      published += 1
    }
  }
  const producing = produce()

  const receipt = await rig.redrive({ queue: dlq, window: { messages: window } }).finally(() => {
    isOver = true
  })
  await producing

  // What came before the count is among those present; it has no origin, and so it is kept.
  expect(receipt).toMatchObject({ moved: 2_000, kept: receipt.present - 2_000, missing: 0, isBalanced: true })
  expect(receipt.arrivals).toBeGreaterThan(0)
  expect(receipt.arrivals).toBeLessThanOrEqual(published)
  expect(await rig.depth(dlq)).toBe(published)
  expect(await countCopies(rig, work, 2_000)).toBe(0)
})

testWithNode(
  'a broker killed -9 half way loses nothing, and the run ends with a true receipt',
  {
    timeout: 400_000,
  },
  async () => {
    const node = await startRabbitNode()
    onTestFinished(() => node.destroy())
    const { amqpUrl: url, managementUrl, username, password } = node
    const rig = await createRecoveryRig({ url, managementUrl, username, password })
    const { work, dlq } = await setup(rig, 5_000)
    await olderThan(6_000)
    let killing: Promise<void> | undefined

    const receipt = await rig.redrive({
      queue: dlq,
      window: { messages: window },
      onProgress: ({ moved }) => {
        if (moved >= 1_500) killing ??= node.kill9().then(() => node.start())
      },
    })

    await killing
    expect(killing).toBeDefined()
    expect(receipt).toMatchObject({ present: 5_000, moved: 5_000, failed: 0, kept: 0, isBalanced: true })
    const after = await createRecoveryRig({ url, managementUrl, username, password })
    expect(await after.depth(dlq)).toBe(0)
    expect(await countCopies(after, work, 5_000)).toBeLessThanOrEqual(window)
  },
)

/** A quorum queue that is younger than this can lose its registration to a kill -9 (measured). */
async function olderThan(ageMs: number): Promise<void> {
  const from = performance.now()
  await eventually(() => performance.now() - from >= ageMs, { timeoutMs: ageMs * 2, intervalMs: 200 })
}
