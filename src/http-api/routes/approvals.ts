import { ApiError } from '../../errors.ts'
import type { AddRoutes, ApiContext, Call } from '../api-context.ts'
import { targetOf } from '../approvals/ask-approval.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/decide-access.ts'
import { permissionsOf } from '../auth/decide-role.ts'
import { discardQueue } from '../backups/discard-queue.ts'
import type { Approval, ApprovalAsks, Permission } from '../contract.ts'
import { endpoints } from '../endpoints.ts'
import { redriveOptions } from '../redrive-options.ts'
import { startTask } from '../tasks/start-task.ts'
import { applyTopology } from '../topology/apply-topology.ts'
import { writeAudit } from '../write-audit.ts'

type ApprovalCall = Pick<Call<{ readonly id: string }, unknown, unknown>, 'params' | 'caller' | 'request'>

export const addApprovalRoutes: AddRoutes = (add, context) => {
  const { approvals } = context

  add(endpoints.listApprovals, async ({ caller }) => ({
    items: approvals.list().filter(({ asks }) => maySee(caller, asks)),
  }))
  add(endpoints.showApproval, async ({ params, caller }) => visibleApproval(context, params.id, caller))

  add(endpoints.grantApproval, async (call) => {
    const approval = visibleApproval(context, call.params.id, call.caller)
    refuseUnlessSecond(call.caller, approval)
    const begin = prepare(context, call, approval)
    await writeDecision(context, call, approval, 'approval.grant')
    const granted = await approvals.decide(approval.id, 'granted', call.caller.name)
    await begin()
    if (approval.asks.action === 'redrive') call.reply.header('location', `/api/v1/tasks/${approval.id}`)
    return granted
  })

  add(endpoints.refuseApproval, async (call) => {
    const approval = visibleApproval(context, call.params.id, call.caller)
    await writeDecision(context, call, approval, 'approval.refuse')
    return approvals.decide(approval.id, 'refused', call.caller.name)
  })
}

function maySee(caller: Caller, asks: ApprovalAsks): boolean {
  return asks.action === 'apply' || mayReadQueue(caller, targetOf(asks))
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

function writeDecision(
  context: ApiContext,
  { caller, request }: ApprovalCall,
  { id, asks, by }: Approval,
  action: string,
): Promise<void> {
  const entry = { action, target: targetOf(asks), result: `${asks.action} ${id}, asked for by ${by}` }
  return writeAudit(context, { caller, request }, entry)
}

const permissionFor: Readonly<Record<ApprovalAsks['action'], Permission>> = {
  redrive: 'dlq:redrive',
  discard: 'dlq:discard',
  apply: 'topology:apply',
}

function refuseUnlessSecond(caller: Caller, { by, asks }: Approval): void {
  const needed = permissionFor[asks.action]
  if (!permissionsOf(caller.role).includes(needed)) {
    const message = `To grant this takes the permission ${needed}, and the role ${caller.role} has it not.`
    throw new ApiError({ code: 'API_FORBIDDEN', message })
  }
  // A token may be in the hands of the very person who asked, and where nobody is asked all are the same.
  const isPerson = caller.wayIn === 'broker-account' || caller.wayIn === 'oidc'
  if (isPerson && caller.name !== by) return
  const message = `This was asked for by ${by}. It takes another person, with an account of their own, to grant it.`
  throw new ApiError({ code: 'API_APPROVAL_NEEDED', message })
}

/** What is done once it is granted: in the name of who asked, and only if the second person could do it too. */
function prepare(context: ApiContext, call: ApprovalCall, approval: Approval): () => Promise<unknown> {
  const { asks, id, by, messages } = approval
  const reason = [approval.reason, `granted by ${call.caller.name}`].filter(Boolean).join('; ')
  const asking = { caller: { ...call.caller, name: by }, request: call.request }
  switch (asks.action) {
    case 'redrive': {
      const request = { ...asks.request, reason, limit: messages! }
      const options = redriveOptions(context, request, asking.caller)
      context.tasks.refuseIfBusy(request.queue)
      return () => startTask(context, asking, { ...options, id, asked: { kind: 'redrive', request } })
    }
    case 'discard': {
      const request = { ...asks.request, reason, limit: messages! }
      context.tasks.refuseIfBusy(asks.queue)
      return () => discardQueue(context, asking, { queue: asks.queue, request })
    }
    case 'apply':
      return () => applyTopology(context, asking, { ...asks.request, reason })
  }
}
