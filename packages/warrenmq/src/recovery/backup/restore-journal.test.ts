import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openJournal, type RestorePlace } from './restore-journal.ts'

const place: RestorePlace = {
  backup: 'fixture-backup',
  cluster: 'a-cluster',
  vhost: '/',
  queue: 'orders.dlq',
}
const at = (run: number, number: number) => ({ run, number })

function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'warren-journal-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'orders.backup')
  const open = async (where = place) => {
    const journal = await openJournal(file, where)
    onTestFinished(() => journal.close())
    return journal
  }
  return { file, open }
}

test('what arrived is known, what was on its way may have, and what was refused has not', async () => {
  const { open } = setup()
  const first = await open()
  await first.begin([at(1, 1), at(1, 2), at(1, 3)])
  await first.add([at(1, 1)])
  await first.refuse([at(1, 3)])

  const second = await open()

  expect([1, 2, 3, 4].map((number) => second.has(at(1, number)))).toEqual([true, false, false, false])
  expect([2, 3, 4].map((number) => second.countBegun(at(1, number)))).toEqual([1, 0, 0])
})

test('what was restored of one run, or in one place, says nothing of another', async () => {
  const { open } = setup()
  const first = await open()
  await first.begin([at(1, 1), at(2, 7)])
  await first.add([at(1, 1), at(2, 7)])

  const [same, elsewhere] = [await open(), await open({ ...place, queue: 'other.dlq' })]

  expect([same.has(at(1, 1)), same.has(at(2, 7)), same.has(at(2, 1))]).toEqual([true, true, false])
  expect(elsewhere.has(at(1, 1))).toBe(false)
})

test('a line in which one digit was changed proves nothing of any record', async () => {
  const { file, open } = setup()
  const first = await open()
  await first.begin([at(1, 2), at(1, 3)])
  await first.add([at(1, 2), at(1, 3)])
  const text = readFileSync(`${file}.restored`, 'utf8')
  writeFileSync(`${file}.restored`, text.replace('"records":[2,3]', '"records":[2,7]'))

  const second = await open()

  expect([2, 3, 7].map((number) => second.has(at(1, number)))).toEqual([false, false, false])
  expect(second.countBegun(at(1, 3))).toBe(1)
})

test('a line of 0.1 may be true: it also wrote down what only looked like a record', async () => {
  const { file, open } = setup()
  const fixture = new URL('../../../../../test/fixtures/backups-0.1/backup.backup.restored', import.meta.url)
  copyFileSync(fixture, `${file}.restored`)

  const journal = await open()

  expect([1, 2, 3, 4].map((number) => journal.has(at(1, number)))).toEqual([false, false, false, false])
  expect([1, 2, 3, 4].map((number) => journal.countBegun(at(1, number)))).toEqual([1, 1, 1, 0])
})
