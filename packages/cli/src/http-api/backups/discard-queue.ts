import { randomUUID } from 'node:crypto'
import { ApiError, type DiscardReport, depthOf, discardMessages } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import { askApproval } from '../approvals/ask-approval.ts'
import { mostMessages, needsApproval } from '../approvals/decide-approval.ts'
import { type AuditedCall, writeAudit, writeAuditEnd } from '../audit/write-audit.ts'
import type { Approval, Discarded, DiscardRequest } from '../contract/contract.ts'
import { selectFor } from '../dlqs/select-for.ts'
import { refuseWithoutClient } from '../guards/refuse-in-vain.ts'
import { backupFile, findBackup, openBackupFolder } from './backup-folder.ts'
import { dropUselessBackup } from './drop-useless-backup.ts'

export interface DiscardTask {
  readonly queue: string
  readonly request: DiscardRequest
}

/** Removes messages into a backup, or asks for the second person that so many need. */
export async function requestDiscard(
  context: ApiContext,
  call: AuditedCall,
  task: DiscardTask,
): Promise<Discarded | Approval> {
  const { queue, request } = task
  const { limit, reason } = request
  folderOf(context)
  selectFor(context, call.caller, request.where)
  const rule = context.settings.approval
  const messages = mostMessages({ depth: await depthOf(context.line.consuming, queue), limit })
  if (needsApproval(rule, messages))
    return askApproval(context, call, { asks: { action: 'discard', ...task }, messages, reason })
  const within = rule ? { limit: Math.min(limit ?? rule.above, rule.above) } : {}
  return discardQueue(context, call, { queue, request: { ...request, ...within } })
}

/** Removes messages into a backup that the server keeps, and writes both down. */
export async function discardQueue(
  context: ApiContext,
  call: AuditedCall,
  { queue, request }: DiscardTask,
): Promise<Discarded> {
  const { line, tasks, turns } = context
  const { where, limit, reason = null } = request
  const select = selectFor(context, call.caller, where)
  const id = randomUUID()
  const folder = await openBackupFolder(folderOf(context))
  tasks.refuseIfBusy(queue)
  refuseWithoutClient(call.reply)
  const entry = { action: 'discard', target: queue, reason }
  await writeAudit(context, call, { ...entry, result: `begun ${id}` })
  let result = `failed ${id}: see whether the queue or the backup has them`
  try {
    const report = await context.backups.use(id, () =>
      turns.take(queue, () =>
        discardMessages({
          ...{ ...line, queue, by: call.caller.name, file: backupFile(folder, id) },
          ...(select && { select }),
          ...(limit !== undefined && { limit }),
        }),
      ),
    )
    result = `${report.isDone ? 'done' : 'not all'} ${id}: ${report.removed} removed, ${report.left} left`
    return await describe(report, { queue, folder, id })
  } catch (error) {
    await dropUselessBackup(backupFile(folder, id))
    throw error
  } finally {
    await writeAuditEnd(context, call, { ...entry, result })
  }
}

async function describe(
  { present, removed, left, isDone }: DiscardReport,
  { queue, folder, id }: { queue: string; folder: string; id: string },
): Promise<Discarded> {
  const backup = await findBackup(folder, id)
  return { kind: 'discarded', queue, present, removed, left, isDone, backup }
}

function folderOf({ settings }: ApiContext): string {
  if (settings.backupFolder !== undefined) return settings.backupFolder
  throw new ApiError({
    code: 'API_NO_BACKUP_FOLDER',
    message: 'Nothing is discarded without a backup. Say where the server keeps them: server.backups.folder.',
  })
}
