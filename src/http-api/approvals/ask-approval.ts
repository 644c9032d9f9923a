import type { ApiContext, Call } from '../api-context.ts'
import type { Approval, ApprovalAsks } from '../contract.ts'
import { writeAudit } from '../write-audit.ts'
import type { NewApproval } from './approvals.ts'

/** Asks for a second person; in the audit log before anybody can answer. */
export async function askApproval(
  context: Pick<ApiContext, 'audit' | 'approvals'>,
  call: Pick<Call<unknown, unknown, unknown>, 'caller' | 'request'>,
  asked: Omit<NewApproval, 'by'>,
): Promise<Approval> {
  const { asks, messages, reason } = asked
  const result = messages === null ? asks.action : `${asks.action} of up to ${messages} messages`
  const entry = { action: 'approval.ask', target: targetOf(asks), reason: reason ?? null, result }
  await writeAudit(context, call, entry)
  return context.approvals.ask({ ...asked, by: call.caller.name })
}

/** What an approval is about, as the audit log names it. */
export function targetOf(asks: ApprovalAsks): string {
  switch (asks.action) {
    case 'redrive':
      return asks.request.queue
    case 'discard':
      return asks.queue
    case 'apply':
      return 'topology'
  }
}
