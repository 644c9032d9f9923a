import type { ApiContext, Call } from '../api-context.ts'
import type { Task } from '../contract.ts'
import { writeAudit } from '../write-audit.ts'
import type { OnTaskEnd } from './task-run.ts'
import type { NewTask } from './tasks.ts'

type TaskCall = Pick<Call<unknown, unknown, unknown>, 'caller' | 'request'>

/** Starts a re-drive that is in the audit log before its first message moves, and once more when it ends. */
export async function startTask(context: ApiContext, call: TaskCall, options: NewTask): Promise<Task> {
  const { tasks } = context
  const { id, queue: target, reason = null } = options
  tasks.refuseIfBusy(target)
  await writeAudit(context, call, { action: 'redrive', target, reason, result: `begun ${id}` })
  return tasks.start(options, endWriter(context, call, options))
}

/** Goes on with a re-drive whose server ended before it did. */
export async function resumeTask(context: ApiContext, call: TaskCall, options: NewTask): Promise<Task> {
  const { tasks } = context
  const { id, queue: target, reason = null } = options
  tasks.refuseIfBusy(target)
  await writeAudit(context, call, { action: 'task.resume', target, reason, result: id })
  return tasks.resume(options, endWriter(context, call, options))
}

function endWriter(context: ApiContext, call: TaskCall, { queue: target, reason }: NewTask): OnTaskEnd {
  return async (task, receipt) => {
    const { moved, failed, kept } = task.progress
    const result = `${task.state} ${task.id}: ${moved} moved, ${failed} failed, ${kept} kept`
    const entry = { action: 'redrive', target, reason: reason ?? null, result }
    try {
      await writeAudit(context, call, { ...entry, receiptDigest: receipt?.digest ?? null })
    } catch (error) {
      // It is done and its receipt stands; that the log does not have it must at least be seen.
      call.request.log.error({ err: error, task: task.id }, 'the end of a task is not in the audit log')
    }
  }
}
