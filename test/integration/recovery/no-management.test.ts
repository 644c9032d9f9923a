import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { backUpQueue } from '../../../packages/warrenmq/src/recovery/backup/backup-queue.ts'
import { restoreBackup } from '../../../packages/warrenmq/src/recovery/backup/restore-backup.ts'
import { renderReceipt } from '../../../packages/warrenmq/src/recovery/receipt/render-receipt.ts'
import { recoverQueues } from '../../../packages/warrenmq/src/recovery/recover/recover-queues.ts'
import { previewRedrive } from '../../../packages/warrenmq/src/recovery/redrive/preview-redrive.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()

/** A dead-letter queue, and an address where no management API listens. */
async function setup() {
  const rig = await createRecoveryRig(broker)
  const [dlq, work] = [namePerTry('unmanaged.dlq'), namePerTry('unmanaged')]
  await rig.declare(dlq)
  await rig.declare(work)
  const away = openManagement('http://guest:guest@127.0.0.1:1')
  onTestFinished(() => away.close())
  const { consuming, publishing } = rig
  const task = { consuming, publishing, management: away, queue: dlq, by: 'test' }
  return { ...rig, dlq, work, task }
}

const unreachable = { code: 'MANAGEMENT_UNREACHABLE' }

test('a re-drive without the management API needs a word, and says that its routes are not proved', async () => {
  const { dlq, work, task, fill, redrive, depth } = await setup()
  await fill(dlq, 4, (index) => ({ headers: { 'x-original-queue': index < 3 ? work : 'missing' } }))
  const accepting = { ...task, acceptDeliveryLimit: true }

  await expect(redrive(task)).rejects.toMatchObject(unreachable)
  const preview = await previewRedrive(accepting)
  const receipt = await redrive(accepting)

  expect(preview).toMatchObject({ moving: 4, areRoutesProved: false })
  expect(receipt).toMatchObject({ moved: 3, failed: 1, areRoutesProved: false, isBalanced: true })
  expect(receipt.failures).toMatchObject([{ kind: 'unroutable', count: 1 }])
  expect(renderReceipt(receipt).join('\n')).toContain('not proved beforehand')
  expect([await depth(dlq), await depth(work)]).toEqual([1, 3])
})

test('with the management API the routes are proved, and the receipt does not mention it', async () => {
  const { dlq, work, task, fill, redrive, management } = await setup()
  await fill(dlq, 1, () => ({ headers: { 'x-original-queue': work } }))

  const preview = await previewRedrive({ ...task, management })
  const receipt = await redrive({ ...task, management })

  expect(preview.areRoutesProved).toBe(true)
  expect(receipt).not.toHaveProperty('areRoutesProved')
  expect(renderReceipt(receipt).join('\n')).not.toContain('proved')
})

test('a recovery without the management API goes on where that was accepted', async () => {
  const { dlq, work, task, fill, depth } = await setup()
  await fill(dlq, 5, () => ({ headers: { MessageType: 'Scan' } }))
  const types = { routes: { Scan: { exchange: '', key: work } } }
  const recovery = { ...task, queues: [dlq], types, timeouts: { idleMs: 50, emptyMs: 50 } }

  await expect(recoverQueues(recovery)).rejects.toMatchObject(unreachable)
  const [recovered] = await recoverQueues({ ...recovery, acceptDeliveryLimit: true })

  expect(recovered).toMatchObject({ recovered: 5, left: 0, problem: undefined })
  expect(recovered?.receipt).toMatchObject({ areRoutesProved: false })
  expect(await depth(work)).toBe(5)
})

test('a restore without the management API knows what one with it has restored', async () => {
  const { dlq, task, fill, drain, depth, management } = await setup()
  const folder = mkdtempSync(join(tmpdir(), 'warren-backup-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'dlq.backup')
  await fill(dlq, 5)
  await backUpQueue({ ...task, management, file })
  await drain(dlq)
  const accepting = { ...task, file, acceptDeliveryLimit: true }

  expect(await restoreBackup({ ...accepting, management })).toMatchObject({ restored: 5 })
  await drain(dlq)
  expect(await restoreBackup(accepting)).toMatchObject({ restored: 0, restoredBefore: 5 })

  expect(await depth(dlq)).toBe(0)
  // As the API names it, so that a journal of an earlier version holds as well.
  const { clusterName } = await management.overview()
  const [line] = readFileSync(`${file}.restored`, 'utf8').split('\n').filter(Boolean)
  expect(JSON.parse(line!)).toMatchObject({ cluster: clusterName })
})
