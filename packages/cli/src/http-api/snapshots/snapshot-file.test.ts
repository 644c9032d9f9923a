import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { deadLetter } from '../../../../../test/support/arbitrary/letters.ts'
import { SnapshotFile } from './snapshot-file.ts'
import { createSnapshotKey, lockBytes, type SnapshotKey } from './snapshot-key.ts'

const serverKey = Buffer.alloc(32, 'k')

async function setup(key: SnapshotKey = createSnapshotKey(serverKey)) {
  const folder = mkdtempSync(join(tmpdir(), 'warren-test-'))
  const file = await SnapshotFile.open(join(folder, 'inner'), key)
  onTestFinished(async () => {
    await file.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { file, folder }
}

const bodyOf = (at: number): string => `${at} `.repeat(1 + ((at * 37) % 900))

it('gives every message back byte for byte, in whichever order it is asked', async () => {
  const { file } = await setup()
  const messages = Array.from({ length: 2_000 }, (_, at) => deadLetter({ id: `m-${at}`, body: bodyOf(at) }))
  const places = messages.map((message) => file.add(message))
  await file.settle()

  for (const at of [1_999, 0, 700, 701, 3]) {
    const { properties, body } = await file.read(places[at]!)
    expect(body.toString()).toBe(bodyOf(at))
    expect(properties).toEqual(messages[at]!.properties)
  }
  expect(places.at(-1)!.block).toBeGreaterThan(3)
})

it('takes a body that came in pieces, an empty one, and one that is larger than a block', async () => {
  const { file } = await setup()
  const large = Buffer.alloc(600_000, 'x')
  const { body: _, ...empty } = deadLetter({})
  const places = [
    file.add({ ...empty, body: [Buffer.from('a'), Buffer.from('b')], bodyBytes: 2 }),
    file.add({ ...empty, body: large, bodyBytes: large.length }),
    file.add(deadLetter({})),
  ]
  await file.settle()

  const bodies = await Promise.all(places.map(async (place) => (await file.read(place)).body.toString()))

  expect(bodies).toEqual(['ab', large.toString(), ''])
})

it('has no name, and nothing of a message can be read on the disk', async () => {
  const locked: Buffer[] = []
  const key = createSnapshotKey(serverKey)
  const watched: SnapshotKey = {
    ...key,
    lock: (block, number, into) => {
      const written = key.lock(block, number, into)
      locked.push(Buffer.from(written))
      return written
    },
  }
  const { file, folder } = await setup(watched)
  file.add(deadLetter({ id: 'm-1', body: 'a secret' }))
  await file.settle()

  expect(readdirSync(join(folder, 'inner'))).toEqual([])
  expect(locked).toHaveLength(1)
  expect(Buffer.concat(locked).includes('secret')).toBe(false)
})

it('a block is read with its own key, at its own place and as it was, or not at all', () => {
  const key = createSnapshotKey(serverKey)
  const locked = key.lock(Buffer.from('content'), 7, Buffer.alloc(7 + lockBytes))
  const changed = Buffer.from(locked)
  changed[2]! ^= 1

  expect(key.unlock(locked, 7).toString()).toBe('content')
  expect(() => key.unlock(locked, 8)).toThrow()
  expect(() => key.unlock(changed, 7)).toThrow()
  expect(() => key.unlock(locked.subarray(0, -1), 7)).toThrow()
  expect(() => key.unlock(Buffer.alloc(3), 7)).toThrow()
  // That of another snapshot of the same server is another one.
  expect(() => createSnapshotKey(serverKey).unlock(locked, 7)).toThrow()
})

it('what cannot be read is told as such', async () => {
  const key = createSnapshotKey(serverKey)
  const { file } = await setup({ ...key, unlock: (locked, number) => key.unlock(locked.subarray(1), number) })
  const place = file.add(deadLetter({ body: 'x' }))
  await file.settle()

  await expect(file.read(place)).rejects.toMatchObject({ code: 'BACKUP_INVALID' })
})

it('a disk that takes nothing more is told once, and who waits is woken', async () => {
  const full = await open('/dev/full', 'r+').catch(() => undefined)
  if (!full) return // only Linux has one
  const file = new SnapshotFile(full, createSnapshotKey(serverKey))
  let woken = 0
  file.onProgress = () => {
    woken += 1
  }
  file.add(deadLetter({ body: 'x'.repeat(300_000) }))
  file.add(deadLetter({ body: 'y'.repeat(300_000) }))

  await expect(file.settle()).rejects.toMatchObject({ code: 'BACKUP_NOT_WRITTEN' })
  await file.close()

  expect(file.failing.aborted).toBe(true)
  expect(woken).toBe(2)
})

it('a folder that cannot be made is told as such', async () => {
  const opening = SnapshotFile.open('/dev/null/nowhere', createSnapshotKey(serverKey))

  await expect(opening).rejects.toMatchObject({ code: 'BACKUP_NOT_WRITTEN' })
})
