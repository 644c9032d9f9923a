import { expect, it } from 'vitest'
import { limitConcurrency, parseFilter } from 'warrenmq/operations'
import { columnsOf, deadLetter } from '../../../../../test/support/arbitrary/letters.ts'
import { listMarks } from '../../../../../test/support/arbitrary/marks.ts'
import type { SnapshotFile } from './snapshot-file.ts'
import { SnapshotSearch } from './snapshot-search.ts'

const columns = columnsOf([deadLetter({ id: 'm-1' }), deadLetter({ id: 'm-2' })])

/** A search that has to read the file, behind others that never end. */
function searchInVain(where: string): SnapshotSearch {
  const inTurn = limitConcurrency(1)
  void inTurn(() => new Promise(() => {}))
  return new SnapshotSearch(parseFilter(where), { columns, file: {} as SnapshotFile, asOfMs: 0, inTurn })
}

it('what the index tells is known at once', async () => {
  const { marks, ...found } = await searchInVain('id:m-2').result(60_000)

  expect(listMarks(marks)).toEqual([false, true])
  expect(found).toEqual({ matched: 1, seen: 2, isWhole: true })
})

it('whoever waits for a search that others have pushed out is told how far it is, and of no failure', async () => {
  const search = searchInVain('body.at:1')
  const waiting = search.result(60_000)

  await search.close()

  expect(await waiting).toMatchObject({ matched: 0, seen: 0, isWhole: false })
  expect(search.isAbandoned).toBe(true)
})
