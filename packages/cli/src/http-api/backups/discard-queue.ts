import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import {
  ApiError,
  compileLook,
  type DiscardReport,
  depthOf,
  discardMessages,
  type IncomingMessage,
} from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import { mostMessages, needsApproval } from '../approvals/approval-rule.ts'
import { askApproval } from '../approvals/ask-approval.ts'
import { type AuditedCall, writeAudit, writeAuditEnd } from '../audit/write-audit.ts'
import type { Approval, Discarded, DiscardRequest } from '../contract/contract.ts'
import { auditedRequest } from '../guards/audited-request.ts'
import { refuseDangers } from '../guards/refuse-dangers.ts'
import { refuseHiddenFilter } from '../guards/refuse-hidden-fields.ts'
import { refuseWithoutClient } from '../guards/refuse-without-broker.ts'
import { backupFile, findBackup, openBackupFolder } from './backup-folder.ts'

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
  refuseDiscard(context, call, request)
  const rule = context.settings.approval
  const messages = mostMessages({ depth: await depthOf(context.broker.consuming, queue), limit })
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
  const { broker, tasks, turns } = context
  const { limit, reason = null } = request
  refuseDiscard(context, call, request)
  const { caller } = call
  const keyOf = (message: IncomingMessage): string => context.nameMessage(message, caller)
  const look = compileLook({ queue, ...request }, { ...broker, by: caller.name, keyOf })
  const id = randomUUID()
  const folder = await openBackupFolder(folderOf(context))
  tasks.refuseIfBusy(queue)
  refuseWithoutClient(call.reply)
  const entry = { action: 'discard', target: queue, reason }
  await writeAudit(context, call, {
    ...entry,
    result: `begun ${id}: ${auditedRequest({ queue, ...request })}`,
  })
  let isNeeded = false
  let result = `failed ${id}: see whether the queue or the backup has them`
  try {
    const report = await context.backups.use(id, () =>
      turns.take(queue, () =>
        discardMessages({
          ...look,
          file: backupFile(folder, id),
          ...(limit !== undefined && { limit }),
          onFirstRemoval: () => {
            isNeeded = true
          },
        }),
      ),
    )
    result = `${report.isDone ? 'done' : 'not all'} ${id}: ${report.removed} removed, ${report.left} left`
    return await describe(report, { queue, folder, id, missing: look.missingKeys() })
  } catch (error) {
    // All of it is still in the queue, and in a list it would look like a backup.
    if (!isNeeded) await rm(backupFile(folder, id), { force: true })
    throw error
  } finally {
    await writeAuditEnd(context, call, { ...entry, result })
  }
}

function refuseDiscard({ settings }: ApiContext, { caller }: AuditedCall, request: DiscardRequest): void {
  refuseHiddenFilter(request.where, { caller, settings })
  refuseDangers(request, caller)
}

async function describe(
  { present, removed, left, isDone }: DiscardReport,
  { queue, folder, id, missing }: { queue: string; folder: string; id: string; missing: number },
): Promise<Discarded> {
  const backup = await findBackup(folder, id)
  return { kind: 'discarded', queue, present, removed, left, missing, isDone, backup }
}

function folderOf({ settings }: ApiContext): string {
  if (settings.backupFolder !== undefined) return settings.backupFolder
  throw new ApiError({
    code: 'API_NO_BACKUP_FOLDER',
    message:
      'Nothing is discarded without a backup. Set the folder where the server keeps backups: server.backups.folder.',
  })
}
