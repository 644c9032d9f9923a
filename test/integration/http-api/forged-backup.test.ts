import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Discarded, Problem, Restored } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import type { BackupHeader } from '../../../packages/warrenmq/src/recovery/backup/backup-record.ts'
import { BackupWriter } from '../../../packages/warrenmq/src/recovery/backup/backup-writer.ts'
import { readBackup } from '../../../packages/warrenmq/src/recovery/backup/read-backup.ts'
import { restoreBackup } from '../../../packages/warrenmq/src/recovery/backup/restore-backup.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { headers, as } = broker

/** Three messages of a queue that is not everybody's, discarded into a backup that the server keeps. */
async function setup(name: string) {
  const own = namePerTry(name)
  const [closed, open] = [`closed-${own}.dlq`, `open-${own}.dlq`] as const
  const folder = mkdtempSync(join(tmpdir(), 'warren-forged-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const rig = await setUpApi({ ...broker, server: { backups: { folder: join(folder, 'kept') } } })
  await broker.createAccount('mallory', { tag: 'administrator', read: '^(open|warren)' })
  for (const queue of [closed, open]) await rig.declareDlq(queue)
  await rig.publish([1, 2, 3].map((body) => ({ key: closed, body, messageId: `m-${body}` })))
  const discarded = await rig.app.inject({
    method: 'POST',
    url: `/api/v1/dlqs/${closed}/discard`,
    headers,
    payload: {},
  })
  const { id } = discarded.json<Discarded>().backup
  const kept = join(folder, 'kept', `${id}.backup`)
  const restore = async (payload: Buffer, from: { authorization: string }, query = '') =>
    rig.app.inject({
      method: 'POST',
      url: `/api/v1/restores${query}`,
      payload,
      headers: { ...from, 'content-type': 'application/gzip' },
    })

  /** An empty backup with another header. */
  async function forge(change: Partial<BackupHeader>): Promise<Buffer> {
    const { header } = await readBackup(kept)
    const file = join(folder, 'forged')
    const writer = await BackupWriter.open(file, { ...header, ...change })
    await writer.seal(new Date())
    await writer.close()
    return readFileSync(file)
  }

  return { rig, closed, open, kept, folder, restore, forge }
}

it('a backup with the id of a kept one is restored instead of that, before and after', async () => {
  const { closed, open, kept, restore, forge } = await setup('forged')
  const forged = await forge({ queue: open })

  const before = await restore(forged, as('mallory'))
  const real = await restore(readFileSync(kept), headers)
  const after = await restore(forged, as('mallory'))

  // Of none of the messages of a queue that the forger may not read, and of all where they belong.
  for (const answer of [before, after])
    expect(answer.json<Restored>()).toMatchObject({ queue: open, records: 0, restored: 0 })
  expect(real.json<Restored>()).toMatchObject({ queue: closed, records: 3, restored: 3 })
  await broker.expectDepths({ [open]: 0, [closed]: 3 })
})

it('a backup whose id is a path is kept within the folder', async () => {
  const { restore, forge, folder } = await setup('path')

  const answer = await restore(await forge({ id: '../../outside' }), headers)

  expect(answer.json<Restored>()).toMatchObject({ records: 0, restored: 0 })
  expect(readdirSync(folder).toSorted()).toEqual(['forged', 'kept'])
  for (const name of readdirSync(join(folder, 'kept')))
    expect(name).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.backup(\.restored)?$/)
})

it('a backup that two restore at once is kept once and whole, and each message restored once', async () => {
  const { closed, kept, restore, folder } = await setup('twice')
  const payload = readFileSync(kept)

  const answers = await Promise.all([restore(payload, headers), restore(payload, headers)])

  const restored = answers.map((answer) => answer.json<Restored>().restored)
  expect(restored.toSorted()).toEqual([0, 3])
  expect(readdirSync(join(folder, 'kept')).filter((name) => name.endsWith('.backup'))).toHaveLength(1)
  await broker.expectDepths({ [closed]: 3 })
})

it('the kept backup itself is restored by who may read its queue, each message once', async () => {
  const { closed, kept, restore } = await setup('itself')

  const denied = await restore(readFileSync(kept), as('mallory'))
  const first = await restore(readFileSync(kept), headers)
  const second = await restore(readFileSync(kept), headers)

  expect(denied.json<Problem>().code).toBe('API_FORBIDDEN')
  expect(first.json<Restored>()).toMatchObject({ records: 3, restored: 3 })
  expect(second.json<Restored>()).toMatchObject({ records: 3, restored: 0, restoredBefore: 3 })
  await broker.expectDepths({ [closed]: 3 })
})

it('what was restored of a kept backup on its host is not restored by an upload, also when it has been handled', async () => {
  const { rig, closed, kept, restore } = await setup('on-its-host')
  const { consuming, publishing } = rig
  const management = openManagement(broker.managementUrl)
  onTestFinished(() => management.close())
  const onHost = await restoreBackup({ consuming, publishing, management, file: kept, by: 'somebody' })
  await broker.management('DELETE', `/api/queues/${encodeURIComponent(broker.vhost)}/${closed}/contents`)
  await broker.expectDepths({ [closed]: 0 })

  const uploaded = await restore(readFileSync(kept), headers)

  expect(onHost).toMatchObject({ records: 3, restored: 3 })
  expect(uploaded.json<Restored>()).toMatchObject({ records: 3, restored: 0, restoredBefore: 3 })
  await broker.expectDepths({ [closed]: 0 })
})
