import type { Receipt } from '../recovery/receipt.ts'
import type { ExitCode } from './command.ts'

type Ended = Pick<Receipt, 'isBalanced' | 'failed' | 'kept' | 'outcome'>

/** 1: the queue does not hold what it should. 3: something failed or was kept, or it ended before its end. */
export function decideRedriveExit({ isBalanced, failed, kept, outcome }: Ended): ExitCode {
  if (!isBalanced) return 1
  return failed + kept > 0 || outcome !== 'done' ? 3 : 0
}
