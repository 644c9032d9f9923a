import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import {
  ApiError,
  countOnlyCopies,
  formatCounted,
  type OnlyCopies,
  RecoveryError,
  takeLock,
} from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import { needsApproval } from '../approvals/approval-rule.ts'
import { type AuditedCall, writeAudit, writeAuditEnd } from '../audit/write-audit.ts'
import type { DeleteBackupQuery, KeptBackup } from '../contract/contract.ts'
import { backupFile, findBackup } from './backup-folder.ts'

export interface Deletion extends DeleteBackupQuery {
  readonly folder: string
  readonly kept: KeptBackup
}

/**
 * Deletes a kept backup with what was written down of its restores. While somebody writes or restores it, nobody can; and
 * what holds the only copy of a message goes only where that is said.
 */
export function deleteBackup(context: ApiContext, call: AuditedCall, deletion: Deletion): Promise<void> {
  const { folder, kept } = deletion
  return context.backups.keepAlone(kept.id, async () => {
    await findBackup(folder, kept.id) // another one may have been quicker
    const copies = await readCopies(backupFile(folder, kept.id))
    refuseOnlyCopies(context, copies, deletion)
    const remove = (): Promise<void> => removeFile(context, call, { ...deletion, copies })
    return copies.isUnfinished ? withQueue(context, call, { queue: kept.queue, work: remove }) : remove()
  })
}

/** A file that cannot be read may hold anything. */
async function readCopies(file: string): Promise<OnlyCopies> {
  try {
    return await countOnlyCopies(file)
  } catch (error) {
    if (!(error instanceof RecoveryError)) throw error
    return { count: 0, isDamaged: true, isUnfinished: true }
  }
}

function refuseOnlyCopies({ settings }: ApiContext, copies: OnlyCopies, { kept, force }: Deletion): void {
  const { count, isDamaged } = copies
  if (count === 0 && !isDamaged) return
  const what = isDamaged
    ? `The backup ${kept.id} is damaged, and may hold the only copy of messages that a discard removed from "${kept.queue}".`
    : `The backup ${kept.id} holds the only copy of ${formatCounted(count, 'message')} that a discard removed from "${kept.queue}" and that nobody has restored.`
  if (force !== true) {
    const message = `${what} Restore it first, or send force=true to lose them for good.`
    throw new ApiError({ code: 'API_BACKUP_NEEDED', message })
  }
  if (!needsApproval(settings.approval, count)) return
  const message = `${what} Losing more than ${settings.approval?.above} needs a second person, and this request cannot ask one. The people who run the server can remove the file.`
  throw new ApiError({ code: 'API_APPROVAL_NEEDED', message })
}

/** Whoever still writes the file, with the command line or as an older server, has its queue. */
function withQueue<Result>(
  { broker, tasks, turns }: ApiContext,
  { caller }: AuditedCall,
  { queue, work }: { readonly queue: string; readonly work: () => Promise<Result> },
): Promise<Result> {
  tasks.refuseIfBusy(queue)
  return turns.take(queue, async () => {
    const { consuming: session, management, vhost } = broker
    const holder = `${caller.name} on ${hostname()} (deletes a backup)`
    const lock = await takeLock({ session, management, vhost, queue, holder })
    try {
      return await work()
    } finally {
      await lock.release()
    }
  })
}

async function removeFile(
  context: ApiContext,
  call: AuditedCall,
  { folder, kept, reason, copies }: Deletion & { readonly copies: OnlyCopies },
): Promise<void> {
  const file = backupFile(folder, kept.id)
  const entry = { action: 'backup.delete', target: kept.queue, reason: reason ?? null }
  const lost = copies.isDamaged ? 'damaged' : `the only copy of ${copies.count}`
  await writeAudit(context, call, { ...entry, result: `begun ${kept.id}: ${lost}` })
  let result = `failed ${kept.id}: it may still be there`
  try {
    // In this order: a backup without its journal would be restored once more.
    await rm(file, { force: true })
    await rm(`${file}.restored`, { force: true })
    result = `done ${kept.id}: ${lost}`
  } catch (cause) {
    const message = `The backup cannot be deleted: ${(cause as Error).message}.`
    throw new RecoveryError({ code: 'BACKUP_NOT_WRITTEN', message }, { cause })
  } finally {
    await writeAuditEnd(context, call, { ...entry, result })
  }
}
