import type { ApiContext } from '../api-context.ts'
import { type AuditedCall, writeAudit, writeAuditEnd } from '../audit/write-audit.ts'
import type { Task } from '../contract/contract.ts'
import { auditedRequest } from '../guards/audited-request.ts'
import { refuseWithoutClient } from '../guards/refuse-without-broker.ts'
import type { OnTaskEnd } from './task-run.ts'
import type { NewTask } from './tasks.ts'

/** Starts a re-drive that is in the audit log before its first message moves, and once more when it ends. */
export async function startTask(context: ApiContext, call: AuditedCall, options: NewTask): Promise<Task> {
  const { tasks } = context
  const { id, queue: target, reason = null, request } = options
  tasks.refuseIfBusy(target)
  refuseWithoutClient(call.reply)
  const asked = request ? `: ${auditedRequest(request)}` : ''
  await writeAudit(context, call, { action: 'redrive', target, reason, result: `begun ${id}${asked}` })
  return tasks.start(options, endWriter(context, call, options))
}

/** Goes on with a re-drive whose server ended before it did. */
export async function resumeTask(context: ApiContext, call: AuditedCall, options: NewTask): Promise<Task> {
  const { tasks } = context
  const { id, queue: target, reason = null } = options
  tasks.refuseIfBusy(target)
  await writeAudit(context, call, { action: 'task.resume', target, reason, result: id })
  return tasks.resume(options, endWriter(context, call, options))
}

function endWriter(context: ApiContext, call: AuditedCall, { queue: target, reason }: NewTask): OnTaskEnd {
  return async (task, receipt) => {
    const { moved, failed, kept } = task.progress
    const result = `${task.state} ${task.id}: ${moved} moved, ${failed} failed, ${kept} kept`
    const entry = { action: 'redrive', target, reason: reason ?? null, result }
    await writeAuditEnd(context, call, { ...entry, receiptDigest: receipt?.digest ?? null })
  }
}
