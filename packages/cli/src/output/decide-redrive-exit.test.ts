import { expect, test } from 'vitest'
import { decideRedriveExit } from './decide-redrive-exit.ts'

const done = { isBalanced: true, failed: 0, keptBecause: [], outcome: 'done' } as const
const kept = (reason: 'not-selected' | 'origin-unknown') => ({ ...done, keptBecause: [{ reason, count: 2 }] })

test.each([
  ['all were moved', done, 0],
  ['all that a filter selects were moved', kept('not-selected'), 0],
  ['some of those selected were kept', kept('origin-unknown'), 3],
  ['one failed', { ...done, failed: 1 }, 3],
  ['it was ended', { ...done, outcome: 'cancelled' }, 3],
  ['the queue does not hold what it should', { ...done, isBalanced: false }, 1],
] as const)('a re-drive after which %s ends with the code for it', (_, receipt, exitCode) => {
  expect(decideRedriveExit(receipt)).toBe(exitCode)
})
