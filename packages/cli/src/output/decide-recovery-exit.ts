import type { QueueRecovery } from 'warrenmq'
import type { ExitCode } from '../command.ts'

type Ended = Pick<QueueRecovery, 'isBalanced' | 'isCounted' | 'problem' | 'left' | 'movedAside'>

/** 1: nobody knows whether all is there, or a queue could not be recovered. 3: some are not recovered yet. */
export function decideRecoveryExit(recoveries: readonly Ended[]): ExitCode {
  if (recoveries.some(isInDoubt)) return 1
  return recoveries.some(({ left, movedAside }) => left + movedAside > 0) ? 3 : 0
}

function isInDoubt({ isBalanced, isCounted, problem }: Ended): boolean {
  return !isBalanced || !isCounted || problem !== undefined
}
