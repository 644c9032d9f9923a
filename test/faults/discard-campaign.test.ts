import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { countRemovals } from '../../packages/warrenmq/src/recovery/backup/decide-removal.ts'
import { discardMessages } from '../../packages/warrenmq/src/recovery/backup/discard-messages.ts'
import { readBackup } from '../../packages/warrenmq/src/recovery/backup/read-backup.ts'
import {
  type RestoreReport,
  restoreBackup,
} from '../../packages/warrenmq/src/recovery/backup/restore-backup.ts'
import { createRecoveryRig, type RecoveryRig } from '../integration/recovery/recovery-rig.ts'
import { eventually } from '../support/eventually.ts'
import { publishUnnamed } from '../support/publish-unnamed.ts'
import { type BrokerProxy, startProxy } from '../support/start-proxy.ts'
import { useBroker } from '../support/use-broker.ts'

const broker = await useBroker()
const rounds = Number(process.env.WARREN_DISCARD_ROUNDS ?? 6)
const count = 900

const types = ['classic', 'quorum'] as const
const kinds = ['with ids', 'without ids', 'alike'] as const
const faults = ['cut at an ack', 'cut at an answer', 'cut at any moment', 'killed'] as const

interface Scene {
  readonly rig: RecoveryRig
  readonly proxy: BrokerProxy
  readonly dlq: string
  readonly file: string
}

async function setup(name: string, type: (typeof types)[number]): Promise<Scene> {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const consumingUrl = proxy.urlFor(broker.url)
  const rig = await createRecoveryRig({ ...broker, consumingUrl, publishingUrl: consumingUrl })
  const folder = mkdtempSync(join(tmpdir(), 'warren-campaign-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await rig.declare(name, type === 'classic' ? { 'x-queue-type': type } : undefined)
  return { rig, proxy, dlq: name, file: join(folder, 'discarded.backup') }
}

async function fill({ rig, dlq }: Scene, kind: (typeof kinds)[number]): Promise<void> {
  if (kind === 'with ids') return rig.fill(dlq, count)
  const bodies = Array.from({ length: count }, (_, index) => (kind === 'alike' ? 'alike' : String(index)))
  await Promise.all(bodies.map((body) => publishUnnamed(rig.publisher, { key: dlq, body, headers: {} })))
}

const tasks = ({ rig, dlq, file }: Scene) => ({ ...rig, queue: dlq, by: 'test', file })

/** A discard in a process of its own that is killed -9 at any moment. */
async function killDiscard({ proxy, dlq, file }: Scene): Promise<void> {
  const script = new URL('../integration/recovery/discard-process.ts', import.meta.url).pathname
  const managementUrl = Object.assign(new URL(broker.managementUrl), broker).href
  const task = JSON.stringify({ url: proxy.urlFor(broker.url), managementUrl, queue: dlq, file })
  const ack = proxy.atFrame(
    { direction: 'to-broker', classId: 60, methodId: 80 },
    { kind: 'delay', delayMs: 1 },
  )
  const child = spawn(process.execPath, ['--import', 'jiti/register', script, task])
  const ended = once(child, 'exit')
  await Promise.race([ack, ended])
  // Any moment is the subject: there is no event that a kill -9 would wait for.
  await sleep(Math.random() * 40)
  child.kill('SIGKILL')
  await ended
  proxy.resume()
}

async function cutDiscard(scene: Scene, fault: (typeof faults)[number]): Promise<void> {
  const { proxy } = scene
  const pick = (most: number) => 1 + Math.floor(Math.random() * most)
  const where = (['before', 'middle', 'after'] as const)[pick(3) - 1]!
  if (fault === 'cut at an ack')
    void proxy.cutAtFrame({ direction: 'to-broker', classId: 60, methodId: 80, nth: pick(4), where })
  if (fault === 'cut at an answer')
    void proxy.cutAtFrame({ direction: 'to-client', classId: 50, methodId: 11, nth: pick(16), where })
  const discarding = discardMessages(tasks(scene)).catch(() => undefined)
  // As above.
  if (fault === 'cut at any moment') {
    await sleep(Math.random() * 250)
    proxy.cutAll()
  }
  await discarding
}

/** What the file says of the removal, beside what is really gone. */
async function expectTruth({ rig, dlq, file }: Scene): Promise<void> {
  const { removed, inDoubt } = await readBackup(file).then(
    ({ runs }) => countRemovals(runs),
    () => ({ removed: 0, inDoubt: 0 }), // it was cut off before the first line
  )
  await eventually(async () => {
    const gone = count - (await rig.depth(dlq))
    expect(gone).toBeGreaterThanOrEqual(removed)
    expect(gone).toBeLessThanOrEqual(removed + inDoubt)
  })
}

async function restoreAll(scene: Scene): Promise<readonly RestoreReport[]> {
  const { proxy } = scene
  const reports: RestoreReport[] = []
  if (Math.random() < 0.5) {
    const cut = { direction: 'to-client', classId: 60, methodId: 80, where: 'before' } as const
    void proxy.cutAtFrame(cut)
  }
  await eventually(
    async () => {
      const report = await restoreBackup(tasks(scene))
      reports.push(report)
      expect(report.failed).toBe(0)
    },
    { what: 'all to be restored', timeoutMs: 30_000 },
  )
  return reports
}

const scenes = Array.from({ length: rounds }, (_, round) => {
  const type = types[round % types.length]!
  const kind = kinds[round % kinds.length]!
  const fault = faults[Math.floor(round / 2) % faults.length]!
  return { round, type, kind, fault }
})

test.each(scenes)(
  'round $round: messages $kind of a $type queue, whose discard is $fault, come back',
  async ({ round, type, kind, fault }) => {
    const scene = await setup(`campaign-${round}`, type)
    const { rig, dlq, file, proxy } = scene
    await fill(scene, kind)

    await (fault === 'killed' ? killDiscard(scene) : cutDiscard(scene, fault))
    proxy.resume()
    await expectTruth(scene)
    // One that was cut off before the first line has nothing to restore.
    const isBegun = await readBackup(file).then(
      () => true,
      () => false,
    )
    const early = isBegun && round % 2 === 0 ? await restoreAll(scene) : []
    await eventually(() => discardMessages(tasks(scene)).catch(passIfDone), {
      what: 'the discard to go on',
    })
    const { inDoubt } = countRemovals((await readBackup(file)).runs)
    const late = await restoreAll(scene)

    const bodies = (await rig.drain(dlq)).map(({ body }) => body)
    const told = [...early, ...late].reduce((sum, { duplicatesPossible }) => sum + duplicatesPossible, 0)
    if (kind !== 'alike') expect(new Set(bodies).size).toBe(count)
    expect(bodies.length).toBeGreaterThanOrEqual(count)
    expect(bodies.length - count).toBeLessThanOrEqual(told)
    expect(inDoubt).toBeLessThanOrEqual(250)
  },
)

/** The fault came after its end. */
function passIfDone(error: Error & { code?: string }): void {
  if (error.code !== 'BACKUP_NOT_WRITTEN' || !error.message.includes('complete')) throw error
}
