import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { headerFor } from '../../../packages/warrenmq/src/recovery/backup/backup-queue.ts'
import { BackupWriter } from '../../../packages/warrenmq/src/recovery/backup/backup-writer.ts'
import { type HoldTask, holdMessages } from '../../../packages/warrenmq/src/recovery/look/hold-messages.ts'
import { createCauseGroups } from '../../../packages/warrenmq/src/recovery/read/cause-groups.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from './recovery-rig.ts'

// So that what nobody holds any more can be told from what somebody does.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const broker = await useBroker()
const count = 10_000
const bodyBytes = 4 * 1024
const mebibyte = 1024 * 1024
/** A fifth of what the bodies are: room for a tag and some more per message, and none for its body. */
const mostHeldBytes = 8 * mebibyte

async function setup() {
  const rig = await createRecoveryRig(broker)
  const queue = namePerTry('flat.dlq')
  await rig.declare(queue)
  const headers = { 'x-error-type': 'Timeout', 'x-error-message': 'no answer' }
  const body = Buffer.alloc(bodyBytes, 'x')
  await rig.fill(queue, count, () => ({ body, headers }))
  /** What this process holds when all messages are held and nothing is under way, beyond what it held before. */
  const measureHeld = async (
    task: Pick<HoldTask, 'onMessage' | 'sink'>,
    settle: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<{ seen: number; heldBytes: number }> => {
    let heldBytes = Number.NaN
    const before = await liveBytes()
    const { seen } = await holdMessages({
      ...rig,
      queue,
      by: 'test',
      purpose: 'a look',
      ...task,
      whileHeld: async () => {
        await settle()
        heldBytes = (await liveBytes()) - before
        return 0
      },
    })
    return { seen, heldBytes }
  }
  return { ...rig, queue, measureHeld }
}

/** Read when it stands still: what is freed outside of the heap goes a moment later. */
async function liveBytes(): Promise<number> {
  let bytes = Number.POSITIVE_INFINITY
  for (;;) {
    collectGarbage()
    await nextTurn()
    const { heapUsed, external } = process.memoryUsage()
    if (heapUsed + external > bytes - mebibyte / 4) return heapUsed + external
    bytes = heapUsed + external
  }
}

test('a look at all causes holds every message and the body of none', async () => {
  const { measureHeld } = await setup()
  const groups = createCauseGroups()

  const { seen, heldBytes } = await measureHeld({
    onMessage: (message) => {
      groups.add(message)
      return undefined
    },
  })

  expect(seen).toBe(count)
  expect(groups.list()).toMatchObject([{ count }])
  expect(heldBytes).toBeLessThan(mostHeldBytes)
})

test('a backup holds every message, and the body of none that is in its file', async () => {
  const { consuming, queue, measureHeld } = await setup()
  const folder = mkdtempSync(join(tmpdir(), 'warren-flat-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const header = headerFor({ queue, by: 'test', consuming }, 'backup')
  const writer = await BackupWriter.open(join(folder, 'dlq.backup'), header)

  const onMessage: HoldTask['onMessage'] = (message) => {
    writer.add(message)
    return undefined
  }
  const { seen, heldBytes } = await measureHeld({ sink: writer, onMessage }, () => writer.settle())

  await writer.close()
  expect([seen, writer.recordCount]).toEqual([count, count])
  expect(heldBytes).toBeLessThan(mostHeldBytes)
})
