import type { Receipt } from 'warrenmq'
import type { ExitCode } from '../command.ts'

type Ended = Pick<Receipt, 'isBalanced' | 'failed' | 'keptBecause' | 'outcome'>

/** 1: the queue does not hold what it should. 3: something of what was asked for failed or was kept, or it ended early. */
export function decideRedriveExit({ isBalanced, failed, keptBecause, outcome }: Ended): ExitCode {
  if (!isBalanced) return 1
  return failed > 0 || isAskedFor(keptBecause) || outcome !== 'done' ? 3 : 0
}

/** What a filter leaves out was not asked for. */
export function isAskedFor(kept: readonly { readonly reason: string; readonly count: number }[]): boolean {
  return kept.some(({ reason, count }) => reason !== 'not-selected' && count > 0)
}
