import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Snapshot, SnapshotList } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from '../recovery/recovery-rig.ts'
import { startServerProcess } from './server-process.ts'

const broker = await useBroker()
const present = 20_000

it('a server that is killed while it makes a snapshot leaves nothing behind, and its messages are back', {
  timeout: 120_000,
}, async () => {
  const rig = await createRecoveryRig(broker)
  const dlq = `${namePerTry('snapshot-killed')}.dlq`
  await rig.declare(dlq)
  await rig.fill(dlq, present)
  const folder = mkdtempSync(join(tmpdir(), 'warren-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const config = { layout: 'warren', queues: {}, server: { snapshots: { folder } } }
  const path = `/api/v1/dlqs/${dlq}/snapshots`

  const first = await startServerProcess(broker, config)
  await first.post<Snapshot>(path)
  await first.kill9()

  expect(readdirSync(folder)).toEqual([])
  const second = await startServerProcess(broker, config)
  expect(await second.get<SnapshotList>(path)).toMatchObject({ items: [] })
  const { id } = await eventually(() => second.post<Snapshot>(path)) // the broker notices that the lock is free
  await eventually(async () => {
    expect(await second.get<Snapshot>(`${path}/${id}`)).toMatchObject({
      state: 'done',
      messages: present,
      isWhole: true,
    })
  })
})
