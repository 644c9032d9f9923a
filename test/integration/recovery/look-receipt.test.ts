import { expect, test } from 'vitest'
import { parseReceipt } from '../../../packages/warrenmq/src/recovery/receipt/parse-receipt.ts'
import { verifyReceipt } from '../../../packages/warrenmq/src/recovery/receipt/verify-receipt.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()
let number = 0

/** A re-drive of ten of twelve messages, and its receipt as it comes out of a file. */
async function setup() {
  const rig = await createRecoveryRig(broker)
  number += 1
  const [work, dlq] = [`work-${number}`, `dlq-${number}`]
  await rig.declare(work)
  await rig.declare(dlq)
  await rig.fill(dlq, 12, () => ({ headers: { 'x-original-queue': work } }))
  const receipt = parseReceipt(JSON.stringify(await rig.redrive({ queue: dlq, limit: 10 })))
  const verify = async (includesTargets: boolean, changed = receipt) => {
    const checks = await verifyReceipt(changed, { ...rig, by: 'test', includesTargets })
    return Object.fromEntries(checks.map(({ name, verdict }) => [name, verdict]))
  }
  return { ...rig, work, dlq, receipt, verify }
}

test('a receipt is proved by the very messages at their target', async () => {
  const { verify } = await setup()

  expect(await verify(true)).toEqual({
    sums: 'holds',
    balance: 'holds',
    left: 'holds',
    moved: 'holds',
    digest: 'holds',
  })
})

test('without a look at the targets, and after messages were handled, the question stays open', async () => {
  const { verify, admin, work } = await setup()

  expect(await verify(false)).toMatchObject({ left: 'holds', moved: 'unknown' })
  ;(await admin.get(work))?.ack()
  expect(await verify(true)).toMatchObject({ moved: 'unknown' })
})

test('a target that is an exchange is told as one that nobody looked at', async () => {
  const { receipt, consuming, publishing, management } = await setup()
  const targets = [{ target: 'shop orders', moved: receipt.moved }]
  const options = { consuming, publishing, management, by: 'test', includesTargets: true }

  const checks = await verifyReceipt({ ...receipt, targets }, options)

  expect(checks.find(({ name }) => name === 'moved')).toMatchObject({
    verdict: 'unknown',
    detail: expect.stringContaining('not looked at in shop orders'),
  })
})

test('a receipt that somebody changed is found out', async () => {
  const { verify, receipt } = await setup()

  expect(await verify(true, { ...receipt, digest: '0'.repeat(64) })).toMatchObject({ digest: 'broken' })
  expect(await verify(true, { ...receipt, moved: 9 })).toMatchObject({ sums: 'broken' })
})

test('a message of the re-drive that is dead again is found in the dead-letter queue', async () => {
  const { receipt, dlq, work, admin, publishing, consuming, management, verify, publisher } = await setup()
  const moved = (await admin.get(work))!
  const again = { exchange: '', key: dlq, properties: moved.properties, body: moved.body }
  await new Promise((resolve) => publisher.publishEncoded(again, resolve))
  moved.ack()

  expect(await verify(true)).toMatchObject({ moved: 'holds', digest: 'holds' })
  const [, , , check] = await verifyReceipt(receipt, { consuming, publishing, management, by: 'test' })
  expect(check?.detail).toContain(`1 in ${dlq}`)
})

test.each(['', '{}', 'no JSON', '{"format":"warren-receipt/1"}'])('%j is no receipt', (text) => {
  expect(() => parseReceipt(text)).toThrow(expect.objectContaining({ code: 'RECEIPT_INVALID' }))
})
