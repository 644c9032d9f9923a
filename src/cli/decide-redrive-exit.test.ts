import { expect, test } from 'vitest'
import { decideRedriveExit } from './decide-redrive-exit.ts'

const done = { isBalanced: true, failed: 0, kept: 0, outcome: 'done' } as const

test.each([
  ['all were moved', done, 0],
  ['some were kept, be it by a filter', { ...done, kept: 2 }, 3],
  ['one failed', { ...done, failed: 1 }, 3],
  ['it was ended', { ...done, outcome: 'cancelled' }, 3],
  ['the queue does not hold what it should', { ...done, isBalanced: false }, 1],
] as const)('a re-drive after which %s ends with the code for it', (_, receipt, exitCode) => {
  expect(decideRedriveExit(receipt)).toBe(exitCode)
})
