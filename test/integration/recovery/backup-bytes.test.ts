import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { backUpQueue } from '../../../packages/warrenmq/src/recovery/backup/backup-queue.ts'
import { BackupWriter } from '../../../packages/warrenmq/src/recovery/backup/backup-writer.ts'
import { discardMessages } from '../../../packages/warrenmq/src/recovery/backup/discard-messages.ts'
import { holdMessages } from '../../../packages/warrenmq/src/recovery/look/hold-messages.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()

async function setup() {
  const rig = await createRecoveryRig(broker)
  const queue = namePerTry('bytes.dlq')
  await rig.declare(queue)
  const folder = mkdtempSync(join(tmpdir(), 'warren-backup-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'dlq.backup')
  return {
    ...rig,
    queue,
    file,
    backUp: () => backUpQueue({ ...rig, queue, file, by: 'test' }),
  }
}

test('small messages do not wait for a block that is never full, and all keep their places', async () => {
  const { queue, fill, backUp, drain } = await setup()
  await fill(queue, 5_000)

  const { records, seal } = await backUp()

  expect([records, seal?.records]).toEqual([5_000, 5_000])
  const bodies = (await drain(queue)).map(({ body }) => Number(body))
  expect(bodies).toEqual(Array.from({ length: 5_000 }, (_, index) => index))
})

test('a discard of small messages does not wait for a full block either', async () => {
  const { queue, file, consuming, publishing, management, fill, depth } = await setup()
  await fill(queue, 3_000)

  const report = await discardMessages({ consuming, publishing, management, queue, file, by: 'test' })

  expect(report).toMatchObject({ present: 3_000, removed: 3_000, left: 0, isDone: true })
  expect(await depth(queue)).toBe(0)
})

test('a disk that takes nothing is sent a few messages whose size nobody knows, and the rest when it does', async () => {
  const { consuming, publishing, management, queue, fill } = await setup()
  await fill(queue, 200, () => ({ body: Buffer.alloc(64 * 1024) }))
  const disk = { isFull: true, onProgress: () => {} }
  let seen = 0

  const holding = holdMessages({
    consuming,
    publishing,
    management,
    queue,
    by: 'test',
    purpose: 'a backup',
    sink: disk,
    onMessage: () => {
      seen += 1
      return undefined
    },
  })
  await eventually(() => expect(seen).toBe(16))
  // Whatever was sent ahead besides these comes before the answer to another question.
  for (let round = 0; round < 3; round += 1)
    await management.queues.find({ vhost: broker.vhost, name: queue })
  const seenWhileFull = seen
  disk.isFull = false
  disk.onProgress()

  expect(await holding).toMatchObject({ present: 200, seen: 200, isWhole: true, depth: 200 })
  expect(seenWhileFull).toBe(16)
})

test('a backup whose disk falls behind asks for no more until it has caught up', async () => {
  const { file } = await setup()
  const writer = await BackupWriter.open(file, {
    format: 'warren-backup/1',
    id: 'slow',
    purpose: 'backup',
    queue: 'q',
    vhost: '/',
    by: 'test',
    brokerVersion: broker.version,
    startedAt: '2026-01-01T00:00:00.000Z',
  })
  const bodyBytes = 4 * 1024 * 1024
  const message = {
    exchange: '',
    routingKey: 'q',
    properties: Buffer.alloc(2),
    body: Buffer.alloc(bodyBytes),
    bodyBytes,
  }

  const fullAfter: boolean[] = []
  for (let number = 0; number < 16; number += 1) {
    writer.add(message)
    fullAfter.push(writer.isFull)
  }
  await writer.settle()

  expect([fullAfter[0], fullAfter.at(-1), writer.isFull]).toEqual([false, true, false])
  await writer.close()
})
