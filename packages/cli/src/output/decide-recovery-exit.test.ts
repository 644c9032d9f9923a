import { expect, test } from 'vitest'
import { decideRecoveryExit } from './decide-recovery-exit.ts'

const recovered = { isBalanced: true, isCounted: true, problem: undefined, left: 0, movedAside: 0 }

test.each([
  ['0 where all were recovered', {}, 0],
  ['3 where some are left', { left: 12 }, 3],
  ['3 where none is left but some were moved aside', { movedAside: 4 }, 3],
  ['1 where somebody else took messages', { isBalanced: false, left: 12 }, 1],
  ['1 where nobody could count', { isCounted: false, left: 12 }, 1],
  ['1 where a queue could not be recovered', { problem: 'There is no queue "dlq".', movedAside: 4 }, 1],
] as const)('a recovery exits with %s', (_title, ended, expected) => {
  expect(decideRecoveryExit([recovered, { ...recovered, ...ended }])).toBe(expected)
})
