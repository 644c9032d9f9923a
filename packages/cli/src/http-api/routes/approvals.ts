import { ApiError } from 'warrenmq/operations'
import type { AddRoutes, ApiContext, Call } from '../api-context.ts'
import { permissionFor } from '../approvals/approval-rule.ts'
import { isPerson, targetOf } from '../approvals/ask-approval.ts'
import { showApproval } from '../approvals/show-approval.ts'
import { maySee, visibleApprovals } from '../approvals/visible-approvals.ts'
import { whyNotFirst } from '../approvals/why-not-first.ts'
import type { AuditEntry } from '../audit/audit-record.ts'
import { type AuditedCall, writeAudit, writeAuditEnd } from '../audit/write-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { permissionsOf } from '../auth/decide-role.ts'
import { foldName } from '../auth/fold-name.ts'
import { isSameCaller } from '../auth/is-same-caller.ts'
import { discardQueue } from '../backups/discard-queue.ts'
import type { Approval, ApprovalAsks, WayIn } from '../contract/contract.ts'
import { endpoints } from '../contract/endpoints.ts'
import { checkQueue } from '../guards/check-queue.ts'
import { isAskedFor } from '../lists/is-asked-for.ts'
import { pageOf } from '../lists/page-of.ts'
import { holdToPlan } from '../redrives/hold-to-plan.ts'
import { redriveOptions } from '../redrives/redrive-options.ts'
import { payloadRulesFor } from '../show/payload-rules.ts'
import { startTask } from '../tasks/start-task.ts'
import { applyTopology, findPlan } from '../topology/apply-topology.ts'

type ApprovalCall = Pick<
  Call<{ readonly id: string }, unknown, unknown>,
  'params' | 'caller' | 'request' | 'reply'
>

export const addApprovalRoutes: AddRoutes = (add, context) => {
  const { approvals, settings } = context
  const shownTo = (caller: Caller, approval: Approval): Approval =>
    showApproval(approval, payloadRulesFor(caller, settings))

  add(
    endpoints.listApprovals,
    async ({ caller, query }) => {
      const wanted = visibleApprovals(context, caller).filter(({ state, asks, by }) =>
        isAskedFor({ state, action: asks.action, queue: queueOf(asks), by }, query),
      )
      return pageOf(wanted, query, { list: 'approvals', at: ({ askedAt }) => askedAt, id: ({ id }) => id })
    },
    () => approvals.edition,
  )
  add(endpoints.showApproval, async ({ params, caller }) =>
    shownTo(caller, visibleApproval(context, params.id, caller)),
  )

  add(endpoints.grantApproval, async (call) => {
    const approval = visibleApproval(context, call.params.id, call.caller)
    await refuseUnlessTwo(context, call, approval)
    const begin = await prepare(context, call, approval)
    // Decided first: of several who grant it at once, one does, and only that one is in the log.
    const granted = await approvals.decide(approval.id, 'granted', call.caller.name)
    await writeGrant(context, call, approval)
    await begin()
    if (approval.asks.action === 'redrive') call.reply.header('location', `/api/v1/tasks/${approval.id}`)
    return shownTo(call.caller, granted)
  })

  add(endpoints.refuseApproval, async (call) => {
    const approval = visibleApproval(context, call.params.id, call.caller)
    refuseStranger(context, call.caller, approval)
    const refused = await approvals.decide(approval.id, 'refused', call.caller.name)
    await writeAuditEnd(context, call, decisionEntry(approval, 'approval.refuse'))
    return shownTo(call.caller, refused)
  })
}

function queueOf(asks: ApprovalAsks): string | undefined {
  return asks.action === 'apply' ? undefined : targetOf(asks)
}

/** Told as missing to whoever may not read its queue, like tasks. */
function visibleApproval({ approvals }: ApiContext, id: string, caller: Caller): Approval {
  const approval = approvals.get(id)
  if (maySee(caller, approval.asks)) return approval
  throw new ApiError({
    code: 'API_NOT_FOUND',
    message: `There is no approval ${id}. GET /api/v1/approvals lists them.`,
  })
}

function decisionEntry(
  { id, asks, by }: Approval,
  action: string,
): Pick<AuditEntry, 'action' | 'target' | 'result'> {
  return { action, target: targetOf(asks), result: `${asks.action} ${id}, asked for by ${by}` }
}

async function writeGrant(context: ApiContext, call: ApprovalCall, approval: Approval): Promise<void> {
  try {
    await writeAudit(context, call, decisionEntry(approval, 'approval.grant'))
  } catch (cause) {
    const message = `The audit log did not accept the grant of ${approval.id}, so it was not started. It cannot be granted again: request a new one.`
    throw new ApiError({ code: 'AUDIT_UNAVAILABLE', message }, { cause })
  }
}

/**
 * Throws where there are no two people who may. Who tries to be both is in the log, as everybody is who may not change
 * what they want to change.
 */
async function refuseUnlessTwo(context: ApiContext, call: ApprovalCall, approval: Approval): Promise<void> {
  const refusal = whyNotSecond(call.caller, approval) ?? (await whyNotFirst(context, approval))
  if (!refusal) return
  const target = `${endpoints.grantApproval.method} ${endpoints.grantApproval.path} ${targetOf(approval.asks)}`
  await writeAudit(context, call, { action: 'refused', target, result: `${refusal.code} ${approval.id}` })
  throw refusal
}

function whyNotSecond(caller: Caller, { id, by, asks, isSigned }: Approval): ApiError | undefined {
  const needed = permissionFor[asks.action]
  if (!permissionsOf(caller.role).includes(needed)) {
    const message = `Granting this needs the permission ${needed}, which the role ${caller.role} does not have.`
    return new ApiError({ code: 'API_FORBIDDEN', message })
  }
  if (!isSigned) {
    const message = `The approval ${id} was not written by a server with the same key, so Warren cannot tell whether ${by} asked for it. Request a new one, and give all servers the same WARREN_SERVER_KEY.`
    return new ApiError({ code: 'API_APPROVAL_UNPROVED', message })
  }
  if (isPerson(caller) && foldName(caller.name) !== foldName(by)) return undefined
  const message = `${by} requested this. Another person, with their own account, must grant it.`
  return new ApiError({ code: 'API_APPROVAL_NEEDED', message })
}

/** Who could not grant it must not keep it from those who can; only who asked may take it back. */
function refuseStranger({ approvals }: ApiContext, caller: Caller, { id, by: name, asks }: Approval): void {
  const needed = permissionFor[asks.action]
  const asker = { name, wayIn: approvals.askerOf(id).wayIn as WayIn }
  if (isSameCaller(caller, asker) || permissionsOf(caller.role).includes(needed)) return
  const message = `Refusing this needs the permission ${needed}, which the role ${caller.role} does not have.`
  throw new ApiError({ code: 'API_FORBIDDEN', message })
}

/** What is done once it is granted: in the name of who asked, and only if the second person could do it too. */
async function prepare(
  context: ApiContext,
  call: ApprovalCall,
  approval: Approval,
): Promise<() => Promise<unknown>> {
  const { asks, id, by, messages } = approval
  const reason = [approval.reason, `granted by ${call.caller.name}`].filter(Boolean).join('; ')
  const { wayIn, from } = context.approvals.askerOf(id)
  const asking: AuditedCall = {
    caller: { ...call.caller, name: by, wayIn: wayIn as WayIn },
    request: { ip: from, log: call.request.log },
  }
  switch (asks.action) {
    case 'redrive': {
      const planned = await holdToPlan(context, { ...call, caller: asking.caller }, asks.request)
      const limit = Math.min(planned.limit ?? messages!, messages!)
      const request = { ...planned, reason, limit }
      const options = redriveOptions(context, request, asking.caller)
      context.tasks.refuseIfBusy(request.queue)
      await checkQueue(context, call, request.queue) // it may have become another one while it waited
      return () => startTask(context, asking, { ...options, id, asked: { kind: 'redrive', request } })
    }
    case 'discard': {
      const request = { ...asks.request, reason, limit: messages! }
      context.tasks.refuseIfBusy(asks.queue)
      await context.dlqs.require(asks.queue) // it may have become another one while it waited
      return () => discardQueue(context, asking, { queue: asks.queue, request })
    }
    case 'apply':
      await findPlan(context, asking.caller, asks.request)
      return () => applyTopology(context, asking, { ...asks.request, reason })
  }
}
