import { expect, test } from 'vitest'
import { decideProgress } from './decide-progress.ts'

const progress = { present: 1_000, moved: 30, failed: 1, kept: 400 }
const select = () => true

test.each([
  ['all are to move', { selected: undefined }, { done: 30, total: 1_000 }],
  ['a limit is set', { selected: undefined, limit: 50 }, { done: 30, total: 50 }],
  ['a plan says how many', { selected: 60, select }, { done: 30, total: 60 }],
  [
    'a filter selects and nobody knows how many',
    { selected: undefined, select },
    { done: 431, total: 1_000, note: 'seen, 30 moved' },
  ],
])('progress where %s', (_, choice, expected) => {
  expect(decideProgress(progress, choice)).toEqual(expected)
})
