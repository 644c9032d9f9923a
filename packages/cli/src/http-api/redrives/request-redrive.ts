import { randomUUID } from 'node:crypto'
import { depthOf } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import { askApproval } from '../approvals/ask-approval.ts'
import { mostMessages, needsApproval } from '../approvals/decide-approval.ts'
import type { AuditedCall } from '../audit/write-audit.ts'
import type { Approval, RedriveRequest, Task } from '../contract/contract.ts'
import { startTask } from '../tasks/start-task.ts'
import { redriveOptions } from './redrive-options.ts'

/** Starts a re-drive, or asks for the second person that one of this size needs. */
export async function requestRedrive(
  context: ApiContext,
  call: AuditedCall,
  request: RedriveRequest,
): Promise<Task | Approval> {
  const options = redriveOptions(context, request, call.caller)
  const { queue, limit, reason } = request
  const rule = context.settings.approval
  const messages = mostMessages({ depth: await depthOf(context.line.consuming, queue), limit })
  if (needsApproval(rule, messages))
    return askApproval(context, call, { asks: { action: 'redrive', request }, messages, reason })
  // Whatever comes into the queue meanwhile must not make it larger than what needs nobody else.
  const within = rule ? { limit: Math.min(limit ?? rule.above, rule.above) } : {}
  const asked = { kind: 'redrive', request: { ...request, ...within } } as const
  return startTask(context, call, { ...options, ...within, id: randomUUID(), asked })
}
