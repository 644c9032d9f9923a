import { expect, test } from 'vitest'
import { type BackupRun, countRemovals, decideFate, decideRemoval } from './decide-removal.ts'

const run: BackupRun = {
  run: 1,
  records: 10,
  missing: 0,
  seal: undefined,
  progress: undefined,
  mark: undefined,
  isEndKnown: true,
}
const progress = { run: 1, removed: 4, removing: 6 }
const seal = { run: 1, records: 10, bodyBytes: 0, digest: '', sealedAt: '' }

test.each<[string, Partial<BackupRun>, { removed: number; inDoubt: number; left: number }]>([
  ['nothing was acknowledged', {}, { removed: 0, inDoubt: 0, left: 10 }],
  ['a step was begun', { progress }, { removed: 4, inDoubt: 2, left: 4 }],
  [
    'behind a step something cannot be read',
    { progress, isEndKnown: false },
    { removed: 4, inDoubt: 6, left: 0 },
  ],
  ['nothing can be read behind the records', { isEndKnown: false }, { removed: 0, inDoubt: 10, left: 0 }],
  ['it was ended early', { seal: { ...seal, removed: 7, inDoubt: 1 } }, { removed: 7, inDoubt: 1, left: 2 }],
  ['it was ended', { seal: { ...seal, removed: 10, inDoubt: 0 } }, { removed: 10, inDoubt: 0, left: 0 }],
  ['0.1 has ended it', { seal, mark: { removed: 10, removedAt: '' } }, { removed: 10, inDoubt: 0, left: 0 }],
  ['0.1 was interrupted', { seal, isEndKnown: false }, { removed: 0, inDoubt: 10, left: 0 }],
  ['records cannot be read', { records: 7, missing: 3, progress }, { removed: 4, inDoubt: 2, left: 4 }],
])('of ten records, where %s', (_, change, counts) => {
  const changed = { ...run, ...change }

  expect(countRemovals([changed])).toEqual(counts)
  const fates = Array.from({ length: 10 }, (_, index) => decideFate(index + 1, decideRemoval(changed)))
  expect(fates).toEqual([
    ...Array(counts.removed).fill('removed'),
    ...Array(counts.inDoubt).fill('in-doubt'),
    ...Array(counts.left).fill('left'),
  ])
})

test('the runs of a file are counted together', () => {
  const ended = { ...run, run: 2, seal: { ...seal, run: 2, removed: 10, inDoubt: 0 } }

  expect(countRemovals([{ ...run, progress }, ended])).toEqual({ removed: 14, inDoubt: 2, left: 4 })
})
