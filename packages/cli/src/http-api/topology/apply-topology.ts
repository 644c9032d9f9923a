import { ApiError, applyPlan, type CompiledTopology, type Plan, planDeployment } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import { askApproval } from '../approvals/ask-approval.ts'
import { type AuditedCall, writeAudit, writeAuditEnd } from '../audit/write-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { ApplyRequest, ApplyResult, Approval, TopologyPlan } from '../contract/contract.ts'
import { describePlan, describeReport } from './describe-plan.ts'

export interface ReadPlan {
  readonly plan: Plan
  readonly written: TopologyPlan
}

/** The topology of the config; an error where the server runs without one. */
export function declaredTopology({ broker }: Pick<ApiContext, 'broker'>): CompiledTopology {
  if (broker.topology) return broker.topology
  throw new ApiError({
    code: 'API_NOT_FOUND',
    message: 'This server has no topology. Start it in a folder with a warren.config.ts, or with --config.',
  })
}

/** Plans the way from the live broker to what is declared, for somebody who may see all of it. */
export async function readPlan(context: Pick<ApiContext, 'broker'>, caller: Caller): Promise<ReadPlan> {
  const { declaration } = declaredTopology(context)
  const { wanted, live, plan } = await planDeployment(declaration, context.broker)
  refuseUnreadable(caller, [...wanted.queues, ...live.queues])
  return { plan, written: describePlan(plan, live.brokerVersion.text) }
}

/** A plan or a proof is one of the whole: it cannot be told without the queues that it is about. */
export function refuseUnreadable(caller: Caller, queues: readonly { readonly name: string }[]): void {
  if (queues.every(({ name }) => mayReadQueue(caller, name))) return
  const message = 'This concerns the whole vhost, and your account may not read all of its queues.'
  throw new ApiError({ code: 'API_FORBIDDEN', message })
}

/** Carries out the plan that was read, or asks for the second person that a disruptive one needs. */
export async function requestApply(
  context: ApiContext,
  call: AuditedCall,
  request: ApplyRequest,
): Promise<ApplyResult | Approval> {
  const { plan } = await findPlan(context, call.caller, request)
  const isDestructive = request.allowDisruptive === true && plan.disruptive.length > 0
  if (context.settings.approval && isDestructive) {
    const { reason } = request
    return askApproval(context, call, { asks: { action: 'apply', request }, messages: null, reason })
  }
  return applyTopology(context, call, request)
}

export async function applyTopology(
  context: ApiContext,
  call: AuditedCall,
  request: ApplyRequest,
): Promise<ApplyResult> {
  const { plan } = await findPlan(context, call.caller, request)
  const { allowDisruptive = false, reason = null } = request
  const entry = { action: 'topology.apply', target: 'topology', reason }
  await writeAudit(context, call, { ...entry, result: `begun ${request.plan}` })
  let result = 'failed: check what exists now'
  try {
    const report = await applyPlan(context.broker.consuming, plan, { allowDisruptive })
    const { done, kept, skipped, failed, isComplete } = report
    const counts = `${done} done, ${kept} kept, ${skipped} skipped, ${failed} failed`
    result = `${isComplete ? 'done' : 'not all'}: ${counts}`
    return describeReport(report)
  } finally {
    await writeAuditEnd(context, call, { ...entry, result })
  }
}

/** The plan that a request names. Throws where it is not the plan any more. */
export async function findPlan(
  context: ApiContext,
  caller: Caller,
  { plan }: Pick<ApplyRequest, 'plan'>,
): Promise<ReadPlan> {
  const found = await readPlan(context, caller)
  if (found.written.digest === plan) return found
  throw new ApiError({
    code: 'API_PLAN_CHANGED',
    message: 'The plan has changed since you read it. GET /api/v1/topology/plan, and apply that one.',
  })
}
