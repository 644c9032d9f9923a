import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { brokerCapabilities } from '../../../packages/warrenmq/src/message/broker-capabilities.ts'
import { parseBrokerVersion } from '../../../packages/warrenmq/src/message/broker-version.ts'
import { BackupWriter } from '../../../packages/warrenmq/src/recovery/backup/backup-writer.ts'
import { restoreBackup } from '../../../packages/warrenmq/src/recovery/backup/restore-backup.ts'
import { encodeProperties } from '../../../packages/warrenmq/src/wire/encode-properties.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig, type RecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()
const mebibyte = 1024 * 1024
const { maxMessageSizeDefaultBytes: largestBytes } = brokerCapabilities(parseBrokerVersion(broker.version))

/** A queue, and a backup of so many messages that were never in it. */
async function setup({ count, bytes }: { count: number; bytes: number }) {
  const rig = await createRecoveryRig(broker)
  const queue = namePerTry('large.dlq')
  await rig.declare(queue, { 'x-queue-type': 'classic' })
  const folder = mkdtempSync(join(tmpdir(), 'warren-restore-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'dlq.backup')
  await writeBackup(file, { queue, count, bytes })
  const restore = (hold: { maxHoldMs?: number } = {}) =>
    restoreBackup({ ...rig, queue, file, by: 'test', ...hold })
  return { ...rig, queue, file, restore }
}

async function writeBackup(
  file: string,
  { queue, count, bytes }: { queue: string; count: number; bytes: number },
): Promise<void> {
  const writer = await BackupWriter.open(file, {
    format: 'warren-backup/1',
    id: 'large',
    purpose: 'backup',
    queue,
    vhost: broker.vhost,
    brokerVersion: broker.version,
    by: 'test',
    startedAt: '2026-01-01T00:00:00.000Z',
  })
  for (let number = 0; number < count; number += 1) {
    const properties = encodeProperties({ messageId: `m-${number}`, deliveryMode: 2 })
    writer.add({
      exchange: '',
      routingKey: queue,
      properties,
      body: Buffer.alloc(bytes, number),
      bodyBytes: bytes,
    })
    await writer.settle()
  }
  await writer.seal(new Date())
  await writer.close()
}

/** How many records arrived with each batch: one line of the journal each. */
function batchesIn(file: string): readonly number[] {
  const lines = readFileSync(`${file}.restored`, 'utf8').split('\n').filter(Boolean)
  const batches = lines.map((line) => JSON.parse(line) as { records?: unknown[] })
  return batches.flatMap(({ records }) => (records ? [records.length] : []))
}

const bodiesOf = async ({ drain }: RecoveryRig, queue: string) =>
  (await drain(queue)).map(({ properties, body }) => [properties.messageId, body.length])

test('large bodies are restored a few at a time, so that memory is bounded by bytes', async () => {
  const { file, queue, restore, ...rig } = await setup({ count: 34, bytes: mebibyte })

  expect(await restore()).toMatchObject({ records: 34, restored: 34, failed: 0, failures: [] })

  expect(batchesIn(file)).toEqual([16, 16, 2])
  const expected = Array.from({ length: 34 }, (_, number) => [`m-${number}`, mebibyte])
  expect(await bodiesOf(rig, queue)).toEqual(expected)
})

// Before 4.0 that is a body of 128 MiB: the rule is the same, and the file takes long to write.
test.runIf(largestBytes <= 16 * mebibyte)(
  'a body that the broker would close its channel over is not sent, and the report says why',
  async () => {
    const { queue, restore, depth } = await setup({ count: 1, bytes: largestBytes + 1 })

    const failures = [{ kind: 'too-large', count: 1 }]
    expect(await restore()).toMatchObject({ restored: 0, failed: 1, failures })

    expect(await depth(queue)).toBe(0)
  },
)

test('into a queue that cannot be seen whole nothing is restored', async () => {
  const { queue, restore, fill, depth } = await setup({ count: 1, bytes: 10 })
  await fill(queue, 2_000)

  await expect(restore({ maxHoldMs: 1 })).rejects.toMatchObject({ code: 'RECOVERY_HELD_TOO_LONG' })

  expect(await depth(queue)).toBe(2_000)
})
