import { randomUUID } from 'node:crypto'
import { depthOf } from 'warrenmq/operations'
import type { ApiContext, Call } from '../api-context.ts'
import { mostMessages, needsApproval } from '../approvals/approval-rule.ts'
import { askApproval } from '../approvals/ask-approval.ts'
import type { AuditedCall } from '../audit/write-audit.ts'
import type { Approval, StartRequest, Task } from '../contract/contract.ts'
import { startTask } from '../tasks/start-task.ts'
import { holdToPlan } from './hold-to-plan.ts'
import { redriveOptions } from './redrive-options.ts'
import { refuseEdit, requestEdit } from './request-edit.ts'

/** Starts a re-drive, or asks for the second person that one of this size needs. */
export async function requestRedrive(
  context: ApiContext,
  call: AuditedCall & Pick<Call<unknown, unknown, unknown>, 'request' | 'reply'>,
  asked: StartRequest,
): Promise<Task | Approval> {
  if (asked.edit) {
    refuseEdit(context, call.caller, asked)
    return requestEdit(context, call, await holdToPlan(context, call, asked))
  }
  redriveOptions(context, withoutPlan(asked), call.caller) // what they may not ask for is refused before anything else
  const request = await holdToPlan(context, call, asked)
  const { queue, limit, reason } = request
  const rule = context.settings.approval
  const messages = mostMessages({ depth: await depthOf(context.broker.consuming, queue), limit })
  if (needsApproval(rule, messages))
    return askApproval(context, call, { asks: { action: 'redrive', request: asked }, messages, reason })
  // Whatever comes into the queue meanwhile must not make it larger than what needs nobody else.
  const within = rule ? { ...request, limit: Math.min(limit ?? rule.above, rule.above) } : request
  const options = redriveOptions(context, within, call.caller)
  return startTask(context, call, {
    ...options,
    id: randomUUID(),
    asked: { kind: 'redrive', request: within },
  })
}

function withoutPlan({ planDigest: _, ...request }: StartRequest): Omit<StartRequest, 'planDigest'> {
  return request
}
