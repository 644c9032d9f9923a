import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { startRedrive } from '../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import { createRecoveryRig } from '../integration/recovery/recovery-rig.ts'
import { eventually } from '../support/eventually.ts'
import { startProxy } from '../support/start-proxy.ts'
import { useBroker } from '../support/use-broker.ts'

const broker = await useBroker()
const everything = { configure: '.*', write: '.*', read: '.*' }
const count = 40
let number = 0

/** A re-drive of forty dead letters by an account of its own, paused after twenty. */
async function setup() {
  number += 1
  const [username, password] = [`operator-${randomUUID()}`, randomUUID()]
  const allow = (rights: Partial<typeof everything>) =>
    broker.management('PUT', `/api/permissions/${broker.vhost}/${username}`, { ...everything, ...rights })
  await broker.management('PUT', `/api/users/${username}`, { password, tags: '' })
  onTestFinished(async () => void (await broker.management('DELETE', `/api/users/${username}`)))
  await allow({})
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const url = Object.assign(new URL(proxy.urlFor(broker.url)), { username, password }).href
  const rig = await createRecoveryRig({ ...broker, consumingUrl: url, publishingUrl: url })
  const [work, dlq] = [`work-${number}`, `dlq-${number}`]
  await rig.declare(work)
  await rig.declare(dlq)
  await rig.fill(dlq, count, () => ({ headers: { 'x-original-queue': work } }))
  const { consuming, publishing, management } = rig
  let hasPaused = false
  const run = startRedrive({
    consuming,
    publishing,
    management,
    queue: dlq,
    by: 'test',
    window: { messages: 1 },
    onProgress: ({ moved }) => {
      if (moved < 20 || hasPaused) return
      hasPaused = true
      run.pause()
    },
  })
  await eventually(() => expect(run.progress).toMatchObject({ state: 'paused', moved: 20 }))
  return { ...rig, run, work, dlq, allow, proxy }
}

test('a right to read that is taken away ends a run in its next pass, with a receipt of what was moved', async () => {
  const { run, allow, proxy, dlq, work, depth } = await setup()

  await allow({ read: '^$' })
  proxy.cutAll()
  run.resume()
  const receipt = await run.receipt

  expect(receipt).toMatchObject({
    outcome: 'interrupted',
    interruption: 'forbidden',
    present: count,
    missing: 0,
  })
  expect(receipt.refusals.at(-1)).toMatch(/ACCESS_REFUSED/)
  expect(receipt.moved).toBeGreaterThanOrEqual(20)
  expect(receipt.isBalanced).toBe(true)
  expect(await depth(dlq)).toBe(count - receipt.moved)
  expect(await depth(work)).toBeGreaterThanOrEqual(receipt.moved)
})

test('a right to write that is taken away leaves the rest where it is, and the receipt says why', async () => {
  const { run, allow, proxy, dlq, work, depth } = await setup()

  await allow({ write: '^$' })
  proxy.cutAll()
  run.resume()
  const receipt = await run.receipt

  expect(receipt).toMatchObject({ present: count, stillThere: 0, missing: 0, isBalanced: true })
  expect(receipt.moved + receipt.failed).toBe(count)
  expect(receipt.failures).toEqual([{ kind: 'unanswered', count: receipt.failed, targets: [work] }])
  expect(receipt.refusals.join()).toMatch(/ACCESS_REFUSED/)
  expect(await depth(dlq)).toBe(receipt.failed)
  expect(await depth(work)).toBeGreaterThanOrEqual(receipt.moved)
})
