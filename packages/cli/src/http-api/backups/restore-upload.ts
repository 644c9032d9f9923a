import { randomUUID } from 'node:crypto'
import { constants, copyFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import {
  ApiError,
  type BackupHeader,
  type BackupSummary,
  describeDamage,
  RecoveryError,
  readBackup,
  restoreBackup,
  verifyBackup,
} from 'warrenmq/operations'
import type { ApiContext, Call } from '../api-context.ts'
import { needsApproval } from '../approvals/approval-rule.ts'
import { writeAudit, writeAuditEnd } from '../audit/write-audit.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { Restored, RestoreQuery } from '../contract/contract.ts'
import { auditedRequest } from '../guards/audited-request.ts'
import { refuseWithoutClient } from '../guards/refuse-without-broker.ts'
import { giveOnce } from '../once/give-once.ts'
import { readOnceKey } from '../once/read-once-key.ts'
import { backupFile, backupId, isThere, openBackupFolder, withTemporaryFolder } from './backup-folder.ts'
import { findSameBackup } from './find-same-backup.ts'
import { receiveUpload } from './receive-upload.ts'

type RestoreCall = Pick<Call<unknown, RestoreQuery, unknown>, 'query' | 'caller' | 'request' | 'reply'>

/** Receives a backup, proves it whole, and puts its messages into their dead-letter queue, each once. */
export function restoreUpload(context: ApiContext, call: RestoreCall, upload: Readable): Promise<Restored> {
  return withTemporaryFolder(async (folder) => {
    const received = join(folder, 'upload')
    await receiveUpload(upload, { file: received, mostBytes: context.settings.maxUploadBytes })
    const summary = await verifyUpload(received)
    const run = (): Promise<Restored> => restoreReceived(context, call, { ...summary, received })
    // Not before: two uploads under one key may differ in nothing but what they hold.
    const onceKey = readOnceKey(call.request, summary.digest)
    return onceKey ? giveOnce(context, { onceKey, reply: call.reply, run }) : run()
  })
}

async function restoreReceived(
  context: ApiContext,
  call: RestoreCall,
  { header, records, digest, received }: BackupSummary & { readonly received: string },
): Promise<Restored> {
  const queue = call.query.queue ?? header.queue
  await refuseRestore(context, call, { queue, records, purpose: header.purpose })
  refuseInVain(context, call, queue) // before anything is kept
  const content = { id: header.id, digest }
  const file = await keep(context, received, content)
  if (file === received) return restore(context, call, { queue, file, id: header.id })
  return context.backups.use(backupId(file), async () => {
    // It may have been deleted a moment ago.
    const kept = (await isThere(file)) ? file : await keep(context, received, content)
    return restore(context, call, { queue, file: kept, id: header.id })
  })
}

/** The sentences of recovery/ name the file, which is nobody's business outside. */
async function verifyUpload(file: string): Promise<BackupSummary> {
  try {
    const summary = await readBackup(file)
    // What an interrupted discard has removed is nowhere else; an interrupted backup is only made again.
    const isDiscard = summary.header.purpose === 'discard'
    return isDiscard && describeDamage(summary) === undefined ? summary : await verifyBackup(file)
  } catch (cause) {
    if (!(cause instanceof RecoveryError)) throw cause
    const message = `${cause.message.replaceAll(file, 'The upload')} Nothing was restored.`
    throw new ApiError({ code: 'API_REQUEST_INVALID', message }, { cause })
  }
}

async function refuseRestore(
  { dlqs, settings }: ApiContext,
  { caller }: RestoreCall,
  { queue, records, purpose }: { queue: string; records: number; purpose: BackupHeader['purpose'] },
): Promise<void> {
  if (!mayReadQueue(caller, queue)) {
    const message = `Your account has no read permission for the queue "${queue}" in RabbitMQ. Ask for it there.`
    throw new ApiError({ code: 'API_FORBIDDEN', message })
  }
  await dlqs.require(queue)
  if (purpose === 'discard' && settings.backupFolder === undefined) {
    const message =
      'This server keeps no backups (server.backups.folder), so a second restore of a discard would not know about the first. Use `warren dlq restore`.'
    throw new ApiError({ code: 'API_NO_BACKUP_FOLDER', message })
  }
  if (!needsApproval(settings.approval, records)) return
  const message = `The backup holds ${records} messages; more than ${settings.approval?.above} need a second person. Restore it with \`warren dlq restore\`.`
  throw new ApiError({ code: 'API_APPROVAL_NEEDED', message })
}

/** An upload takes long: a re-drive may have begun meanwhile, and they may have gone and begun another one. */
function refuseInVain({ tasks }: ApiContext, { reply }: RestoreCall, queue: string): void {
  tasks.refuseIfBusy(queue)
  refuseWithoutClient(reply)
}

/**
 * Beside a kept backup stands what was restored of it, so that a second restore leaves that out also when the
 * messages have gone on meanwhile. Where nothing is kept only the queue itself can tell, which is enough for a backup. It is kept by the name of its
 * content and not by its id, which anybody can write into another one to have the kept one restored instead. What the
 * server has discarded is there already, and so is what `warren dlq restore` wrote down beside it.
 */
async function keep(
  { settings }: ApiContext,
  received: string,
  { id, digest }: { id: string; digest: string },
): Promise<string> {
  if (settings.backupFolder === undefined) return received
  const folder = await openBackupFolder(settings.backupFolder)
  const kept = backupFile(folder, nameOf(digest))
  if (await isThere(kept)) return kept
  const same = await findSameBackup(folder, { id, digest })
  if (same) return same
  // Copied and not moved: the temporary folder may be on another disk. Half a copy must not be taken for one.
  const copy = `${kept}.${randomUUID()}.part`
  try {
    await copyFile(received, copy, constants.COPYFILE_EXCL)
    await rename(copy, kept)
  } finally {
    await rm(copy, { force: true })
  }
  return kept
}

/** Written like the ids of other backups. */
function nameOf(digest: string): string {
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

async function restore(
  context: ApiContext,
  call: RestoreCall,
  { queue, file, id }: { queue: string; file: string; id: string },
): Promise<Restored> {
  const { broker, turns } = context
  refuseInVain(context, call, queue)
  const { acceptDeliveryLimit, reason = null } = call.query
  const entry = { action: 'restore', target: queue, reason }
  const request = auditedRequest({ ...call.query, queue })
  await writeAudit(context, call, { ...entry, result: `begun ${id}: ${request}` })
  let result = `failed ${id}: some may be restored; another restore leaves those out`
  try {
    const report = await turns.take(queue, () =>
      restoreBackup({ ...broker, file, queue, by: call.caller.name, acceptDeliveryLimit }),
    )
    const { records, restored, restoredBefore, alreadyThere, notRemoved, duplicatesPossible, failed } = report
    const before = restoredBefore + alreadyThere
    result = `${failed === 0 ? 'done' : 'not all'} ${id}: ${restored} of ${records} restored, ${before} before, ${failed} failed`
    const doubts = { notRemoved, duplicatesPossible }
    return { queue, records, restored, restoredBefore, alreadyThere, ...doubts, failed }
  } finally {
    await writeAuditEnd(context, call, { ...entry, result })
  }
}
