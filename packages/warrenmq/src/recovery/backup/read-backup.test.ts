import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { BackupHeader } from './backup-record.ts'
import { BackupWriter } from './backup-writer.ts'
import { findBlock } from './blocks.ts'
import { countRemovals } from './decide-removal.ts'
import { readBackup } from './read-backup.ts'
import { verifyBackup } from './verify-backup.ts'

const header: BackupHeader = {
  format: 'warren-backup/2',
  id: 'some-id',
  purpose: 'discard',
  queue: 'q',
  vhost: '/',
  brokerVersion: '4.0.5',
  by: 'ada',
  startedAt: '2026-01-01T00:00:00.000Z',
}
const at = new Date('2026-01-01T00:00:01.000Z')

function setup(): string {
  const folder = mkdtempSync(join(tmpdir(), 'warren-read-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'q.backup')
}

/** One run of a discard of so many, each with a block of its own, that removed so many. */
async function writeRun(
  file: string,
  { count, removed, isSealed }: { count: number; removed: number; isSealed: boolean },
) {
  const writer = await BackupWriter.open(file, header)
  for (let number = 1; number <= count; number += 1) {
    const body = Buffer.from(`message ${number} `.repeat(9))
    writer.add({ exchange: '', routingKey: 'q', properties: Buffer.alloc(2), body, bodyBytes: body.length })
    await writer.settle()
  }
  await writer.prove()
  if (removed > 0) await writer.noteRemoval({ removed: 0, removing: removed })
  if (isSealed) await writer.seal(at, { removed, inDoubt: 0 })
  await writer.close()
}

function placesOf(bytes: Buffer): readonly number[] {
  const places: number[] = []
  for (let from = findBlock(bytes); from >= 0; from = findBlock(bytes, from + 1)) places.push(from)
  return places
}

async function numbersIn(file: string): Promise<string[]> {
  const found: string[] = []
  await readBackup(file, (line) => {
    if (line.kind === 'record') found.push(`${line.record.run}/${line.record.number}`)
  })
  return found
}

test('one byte changed anywhere costs one record at most, and is known', async () => {
  const file = setup()
  await writeRun(file, { count: 6, removed: 6, isSealed: true })
  const whole = readFileSync(file)
  const { digest } = await verifyBackup(file)

  for (let place = 0; place < whole.length; place += 13) {
    const damaged = Buffer.from(whole)
    damaged[place]! ^= 0x10
    writeFileSync(file, damaged)
    const summary = await readBackup(file)
    const { removed, inDoubt } = countRemovals(summary.runs)

    expect(summary.records, `byte ${place}`).toBeGreaterThanOrEqual(5)
    expect(removed + inDoubt, `byte ${place}`).toBe(6)
    // Between the end of the packed bytes and the checksum a few bits mean nothing.
    const verified = await verifyBackup(file).catch(({ code }: { code: string }) => code)
    if (verified !== 'BACKUP_INVALID') expect(verified, `byte ${place}`).toMatchObject({ digest })
  }
})

test('a file that ends anywhere gives the records before, and claims of none that it stayed in the queue unless it ends with a block', async () => {
  const file = setup()
  await writeRun(file, { count: 4, removed: 2, isSealed: true })
  const whole = readFileSync(file)
  const ends = new Set(placesOf(whole).slice(1))
  const between = Array.from({ length: 60 }, (_, index) => placesOf(whole)[1]! + index * 17)

  for (const end of [...ends, ...between.filter((end) => end < whole.length)]) {
    writeFileSync(file, whole)
    truncateSync(file, end)
    const { runs, records, tornBytes } = await readBackup(file)

    expect(tornBytes > 0).toBe(!ends.has(end))
    if (!ends.has(end)) expect(countRemovals(runs).left, `byte ${end}`).toBe(0)
    expect(records).toBeGreaterThanOrEqual(placesOf(whole).filter((place) => place <= end).length - 4)
  }
})

describe('a discard that goes on with a file', () => {
  test('writes behind what is torn off, and both runs are read', async () => {
    const file = setup()
    await writeRun(file, { count: 3, removed: 2, isSealed: false })
    const before = Buffer.concat([readFileSync(file), readFileSync(file).subarray(0, 30)])
    writeFileSync(file, before)

    await writeRun(file, { count: 2, removed: 2, isSealed: true })

    expect(readFileSync(file).subarray(0, before.length).equals(before)).toBe(true)
    expect(await numbersIn(file)).toEqual(['1/1', '1/2', '1/3', '2/1', '2/2'])
    // What is torn off may have said more of the first run.
    expect(countRemovals((await verifyBackup(file)).runs)).toEqual({ removed: 2, inDoubt: 3, left: 0 })
  })

  test('knows the first run to its end where nothing is torn off', async () => {
    const file = setup()
    await writeRun(file, { count: 3, removed: 2, isSealed: false })
    await writeRun(file, { count: 2, removed: 2, isSealed: true })

    expect(countRemovals((await verifyBackup(file)).runs)).toEqual({ removed: 2, inDoubt: 2, left: 1 })
  })

  test('leaves a damaged one alone', async () => {
    const file = setup()
    await writeRun(file, { count: 3, removed: 0, isSealed: false })
    const damaged = readFileSync(file)
    damaged[placesOf(damaged)[2]! + 25]! ^= 1
    writeFileSync(file, damaged)

    await expect(BackupWriter.open(file, header)).rejects.toMatchObject({ code: 'BACKUP_NOT_WRITTEN' })
    expect(readFileSync(file).equals(damaged)).toBe(true)
  })
})

test('without its first line a file says by a later one what it is', async () => {
  const file = setup()
  await writeRun(file, { count: 2, removed: 2, isSealed: true })
  const damaged = readFileSync(file)
  damaged[30]! ^= 1
  writeFileSync(file, damaged)

  expect((await readBackup(file)).header).toEqual(header)
})

test('bytes behind the seal are told', async () => {
  const file = setup()
  await writeRun(file, { count: 2, removed: 2, isSealed: true })
  appendFileSync(file, 'a line of somebody else\n')

  await expect(verifyBackup(file)).rejects.toMatchObject({
    message: expect.stringContaining('damaged or cut off'),
  })
})

describe('a file of 0.1', () => {
  const fixture = (name: string) =>
    new URL(`../../../../../test/fixtures/backups-0.1/${name}.backup`, import.meta.url).pathname

  test.each(['backup', 'discard', 'discard-interrupted'])('%s is whole', async (name) => {
    expect(await verifyBackup(fixture(name))).toMatchObject({ records: 5, missing: 0, isDamaged: false })
    expect(await numbersIn(fixture(name))).toEqual(['1/1', '1/2', '1/3', '1/4', '1/5'])
  })

  test('backup-interrupted is read to its end', async () => {
    expect(await readBackup(fixture('backup-interrupted'))).toMatchObject({ records: 5, seal: undefined })
  })

  test.each([
    ['discard', { removed: 5, inDoubt: 0, left: 0 }],
    ['discard-interrupted', { removed: 0, inDoubt: 5, left: 0 }],
  ])('%s says what it can prove of the removal', async (name, counts) => {
    expect(countRemovals((await readBackup(fixture(name))).runs)).toEqual(counts)
  })

  test('discard-interrupted is not gone on with', async () => {
    const file = setup()
    writeFileSync(file, readFileSync(fixture('discard-interrupted')))
    const wanted = { ...header, queue: 'orders.dlq' }

    await expect(BackupWriter.open(file, wanted)).rejects.toMatchObject({
      code: 'BACKUP_NOT_WRITTEN',
      message: expect.stringContaining('an earlier version wrote it'),
    })
  })
})
