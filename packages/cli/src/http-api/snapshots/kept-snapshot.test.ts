import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type LookReport, limitConcurrency } from 'warrenmq/operations'
import { deadLetter } from '../../../../../test/support/arbitrary/letters.ts'
import { KeptSnapshot } from './kept-snapshot.ts'
import { SnapshotFile } from './snapshot-file.ts'
import { createSnapshotKey } from './snapshot-key.ts'

/** Of one message, with others before every search of its file that never end. */
async function keepOne(): Promise<KeptSnapshot> {
  const folder = mkdtempSync(join(tmpdir(), 'warren-test-'))
  const inTurn = limitConcurrency(1)
  void inTurn(() => new Promise(() => {}))
  const kept = new KeptSnapshot({
    id: 'warren-1.5f0c9a5e.3c7b4a539b4e0a4f',
    queue: 'orders.dlq',
    where: undefined,
    maker: { name: 'ann' },
    ageMs: 60_000,
    openFile: () => SnapshotFile.open(folder, createSnapshotKey(Buffer.alloc(32, 'k'))),
    look: ({ onPresent, onMessage }) => {
      onPresent(1)
      onMessage(deadLetter({ id: 'm-1' }))
      return Promise.resolve({ present: 1, seen: 1, isWhole: true } as LookReport)
    },
    nameMessage: () => '0'.repeat(32),
    checkRoom: () => {},
    inTurn,
    onError: () => {},
  })
  onTestFinished(async () => {
    await kept.erase()
    rmSync(folder, { recursive: true, force: true })
  })
  await kept.ended
  return kept
}

it('the searches of several people with several filters each go on, and do not push each other out', async () => {
  const kept = await keepOne()
  const filters = Array.from({ length: 24 }, (_, at) => `word${at}`)

  const begun = filters.map((where) => kept.search(where))
  const askedAgain = filters.map((where) => kept.search(where))

  expect(begun.map(({ isAbandoned }) => isAbandoned)).not.toContain(true)
  expect(askedAgain).toEqual(begun)
})

it('of more filters than anybody asks for at once, those of long ago are forgotten', async () => {
  const kept = await keepOne()

  const begun = Array.from({ length: 100 }, (_, at) => kept.search(`word${at}`))

  expect(begun.at(-1)!.isAbandoned).toBe(false)
  expect(begun[0]!.isAbandoned).toBe(true)
})
