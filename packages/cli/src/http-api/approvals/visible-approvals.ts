import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { Approval, ApprovalAsks } from '../contract/contract.ts'
import { payloadRulesFor } from '../show/payload-rules.ts'
import { targetOf } from './ask-approval.ts'
import { showApproval } from './show-approval.ts'

/** The approvals that a caller may see, as they may see them. */
export function visibleApprovals(
  { approvals, settings }: Pick<ApiContext, 'approvals' | 'settings'>,
  caller: Caller,
): readonly Approval[] {
  const rules = payloadRulesFor(caller, settings)
  return approvals
    .list()
    .filter(({ asks }) => maySee(caller, asks))
    .map((approval) => showApproval(approval, rules))
}

export function maySee(caller: Pick<Caller, 'readableQueues'>, asks: ApprovalAsks): boolean {
  return asks.action === 'apply' || mayReadQueue(caller, targetOf(asks))
}
