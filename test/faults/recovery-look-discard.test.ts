import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { discardMessages } from '../../packages/warrenmq/src/recovery/backup/discard-messages.ts'
import { readBackup } from '../../packages/warrenmq/src/recovery/backup/read-backup.ts'
import { createRecoveryRig } from '../integration/recovery/recovery-rig.ts'
import { eventually } from '../support/eventually.ts'
import { type BrokerProxy, startProxy } from '../support/start-proxy.ts'
import { useBroker } from '../support/use-broker.ts'

const broker = await useBroker()
const count = 800
let number = 0

async function setup() {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const rig = await createRecoveryRig(broker)
  const folder = mkdtempSync(join(tmpdir(), 'warren-discard-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  number += 1
  const [dlq, file] = [`dlq-${number}`, join(folder, 'discarded.backup')]
  await rig.declare(dlq)
  // Large enough for several blocks in the file.
  await rig.fill(dlq, count, (index) => ({ body: `${index} ${'x'.repeat(2_000)}` }))
  return { ...rig, rig, proxy, dlq, file }
}

/** Runs a discard through the proxy in a process of its own, and kills it -9 when the moment has come. */
async function killAt(
  { proxy, dlq, file }: { proxy: BrokerProxy; dlq: string; file: string },
  moment: Promise<unknown>,
): Promise<void> {
  const script = new URL('../integration/recovery/discard-process.ts', import.meta.url).pathname
  const managementUrl = Object.assign(new URL(broker.managementUrl), broker).href
  const task = JSON.stringify({ url: proxy.urlFor(broker.url), managementUrl, queue: dlq, file })
  const child = spawn(process.execPath, ['--import', 'jiti/register', script, task])
  const ended = once(child, 'exit')
  const isReached = await Promise.race([moment.then(() => true), ended.then(() => false)])
  child.kill('SIGKILL')
  await ended
  expect(isReached).toBe(true)
}

async function idsIn(file: string): Promise<string[]> {
  const found: string[] = []
  await readBackup(file, (line) => {
    if (line.kind === 'record') found.push(line.record.body.toString().split(' ')[0]!)
  })
  return found
}

test('a discard killed -9 while it writes, before and after its first ack loses nothing', async () => {
  const scene = await setup()
  const { rig, proxy, dlq, file, drain } = scene
  const ack = { direction: 'to-broker', classId: 60, methodId: 80 } as const

  // However late it is killed, no ack has arrived.
  void proxy.atFrame(ack, { kind: 'swallow', direction: 'to-broker' })
  await killAt(
    scene,
    eventually(() => statSync(file).size > 5_000, { intervalMs: 1 }),
  )
  proxy.cutAll()
  proxy.resume()
  await killAt(scene, proxy.cutAtFrame({ ...ack, where: 'before' }))
  await killAt(scene, proxy.cutAtFrame({ ...ack, where: 'after' }))

  // At every moment each message is in the file or in the queue; at the end it is in the file.
  const report = await eventually(() => discardMessages({ ...rig, queue: dlq, by: 'test', file }), {
    what: 'the lock to be free',
  })
  expect(report).toMatchObject({ left: 0, isDone: true })
  expect(await drain(dlq)).toEqual([])
  const ids = await idsIn(file)
  expect([...new Set(ids)].toSorted()).toEqual(
    Array.from({ length: count }, (_, index) => String(index)).toSorted(),
  )
})
