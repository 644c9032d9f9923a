import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { backUpQueue } from '../../../packages/warrenmq/src/recovery/backup/backup-queue.ts'
import {
  type BackupRecord,
  writeRecord,
} from '../../../packages/warrenmq/src/recovery/backup/backup-record.ts'
import { packBlock } from '../../../packages/warrenmq/src/recovery/backup/blocks.ts'
import { readBackup } from '../../../packages/warrenmq/src/recovery/backup/read-backup.ts'
import { restoreBackup } from '../../../packages/warrenmq/src/recovery/backup/restore-backup.ts'
import type { FieldTable } from '../../../packages/warrenmq/src/wire/field-value.ts'
import { encodeProperties } from '../../../packages/warrenmq/src/wire/properties.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()
let number = 0

const text = (name: string, value: string) => ({ name, value: { type: 'S' as const, value } })

/** In no order, with a name that stands twice and a table that is in no order either. */
const unsorted: FieldTable = [
  text('tenant', 'acme'),
  text('region', 'north'),
  { name: 'zone', value: { type: 'F', value: [text('z', '1'), text('a', '2'), text('m', '3')] } },
  text('tenant', 'a second one'),
  text('Área', 'sul'),
  text('a', 'first'),
]

async function setup() {
  const rig = await createRecoveryRig(broker)
  number += 1
  const dlq = `unsorted-${number}`
  await rig.declare(dlq)
  const folder = mkdtempSync(join(tmpdir(), 'warren-backup-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'dlq.backup')
  const task = { ...rig, queue: dlq, by: 'test', file }
  for (const id of ['1', '2', '3']) {
    const properties = encodeProperties({ messageId: id, deliveryMode: 2, headers: unsorted })
    await new Promise((resolve) => {
      rig.publisher.publishEncoded({ exchange: '', key: dlq, properties, body: Buffer.from(id) }, resolve)
    })
  }
  return {
    ...rig,
    dlq,
    file,
    backUp: () => backUpQueue(task),
    restore: () => restoreBackup(task),
  }
}

interface Rewriting {
  readonly idOf?: (record: BackupRecord) => string | undefined
  readonly isSealed: boolean
}

/** Writes a backup again: with the ids of a version that computed them in another way, or as an interruption leaves it. */
async function rewrite(file: string, { idOf = ({ id }) => id, isSealed }: Rewriting): Promise<void> {
  const records: string[] = []
  const { header, seal } = await readBackup(file, (line) => {
    if (line.kind === 'record') records.push(writeRecord({ ...line.record, id: idOf(line.record) }))
  })
  const content = `${JSON.stringify(header)}\n${records.join('')}`
  const digest = createHash('sha256').update(content).digest('hex')
  const end = isSealed ? `${JSON.stringify({ ...seal, digest })}\n` : ''
  writeFileSync(file, await packBlock(Buffer.from(content + end)))
}

const foreignId = ({ number }: BackupRecord) => String(number).padStart(40, '0')

test('a message is known again in its queue, whatever order the broker has given its headers since', async () => {
  const { dlq, backUp, restore, depth } = await setup()
  await backUp()

  expect(await restore()).toMatchObject({ records: 3, restored: 0, alreadyThere: 3 })
  expect(await depth(dlq)).toBe(3)
})

test('a message that was backed up after a return is known again in its restored copy', async () => {
  const { dlq, admin, backUp, restore, drain, depth, file } = await setup()
  const taken = [await admin.get(dlq), await admin.get(dlq), await admin.get(dlq)]
  for (const delivery of taken) delivery?.nack({ requeue: true })
  await backUp()
  await drain(dlq)
  expect(await restore()).toMatchObject({ restored: 3 })
  rmSync(`${file}.restored`)

  expect(await restore()).toMatchObject({ restored: 0, alreadyThere: 3 })
  expect(await depth(dlq)).toBe(3)
})

test('a backup whose ids another version computed is restored once, too', async () => {
  const { dlq, backUp, restore, depth, file } = await setup()
  await backUp()
  await rewrite(file, { idOf: foreignId, isSealed: true })

  expect(await restore()).toMatchObject({ records: 3, restored: 0, alreadyThere: 3 })
  expect(await depth(dlq)).toBe(3)
})

test.each(['this', 'another'] as const)(
  'a backup that %s version began is gone on with and holds each message once',
  async (version) => {
    const { backUp, file } = await setup()
    await backUp()
    await rewrite(file, { ...(version === 'another' && { idOf: foreignId }), isSealed: false })

    expect(await backUp()).toMatchObject({ present: 3, records: 3, resumed: 3 })
  },
)
