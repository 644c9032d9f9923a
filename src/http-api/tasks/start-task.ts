import type { RedriveOptions } from '../../recovery/redrive.ts'
import type { ApiContext, Call } from '../api-context.ts'
import type { Task } from '../contract.ts'
import { writeAudit } from '../write-audit.ts'

/** Starts a re-drive that is in the audit log before its first message moves, and once more when it ends. */
export async function startTask(
  context: ApiContext,
  call: Pick<Call<unknown, unknown, unknown>, 'caller' | 'request'>,
  options: RedriveOptions & { readonly id: string },
): Promise<Task> {
  const { tasks } = context
  const entry = { action: 'redrive', target: options.queue, reason: options.reason ?? null }
  tasks.refuseIfBusy(options.queue)
  await writeAudit(context, call, { ...entry, result: `begun ${options.id}` })
  return tasks.start(options, async (task, receipt) => {
    const { moved, failed, kept } = task.progress
    const result = `${task.state} ${task.id}: ${moved} moved, ${failed} failed, ${kept} kept`
    try {
      await writeAudit(context, call, { ...entry, result, receiptDigest: receipt?.digest ?? null })
    } catch (error) {
      // It is done and its receipt stands; that the log does not have it must at least be seen.
      call.request.log.error({ err: error, task: task.id }, 'the end of a task is not in the audit log')
    }
  })
}
