import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { ApiError, backUpQueue, RecoveryError } from 'warrenmq/operations'
import type { AddRoutes, ApiContext, Call } from '../api-context.ts'
import { writeAudit, writeAuditEnd } from '../audit/write-audit.ts'
import { backupFile, findBackup, withTemporaryFolder } from '../backups/backup-folder.ts'
import { deleteBackup } from '../backups/delete-backup.ts'
import { requestDiscard } from '../backups/discard-queue.ts'
import { restoreUpload } from '../backups/restore-upload.ts'
import { sendBackup } from '../backups/send-backup.ts'
import { mayFetch, visibleBackups } from '../backups/visible-backups.ts'
import type { FilterQuery, KeptBackup, QueueParams } from '../contract/contract.ts'
import { endpoints } from '../contract/endpoints.ts'
import { selectFor } from '../dlqs/select-for.ts'
import { goneError, refuseWithoutBroker, refuseWithoutClient } from '../guards/refuse-without-broker.ts'
import { isAskedFor } from '../lists/is-asked-for.ts'
import { pageOf } from '../lists/page-of.ts'
import { routeAdder } from '../route-adder.ts'

/** Messages as files: taken out, kept, and put back. */
export const addBackupRoutes: AddRoutes = (add, context, app) => {
  const { settings } = context

  add(endpoints.downloadBackup, async (call) => {
    refuseMasked(context)
    await download(context, call)
    return undefined
  })

  add(endpoints.discardMessages, (call) =>
    requestDiscard(context, call, { queue: call.params.queue, request: call.body }),
  )

  add(endpoints.listBackups, async ({ caller, query }) => {
    const wanted = (await visibleBackups(context, caller)).filter((kept) =>
      isAskedFor({ purpose: kept.purpose, queue: kept.queue, by: kept.by }, query),
    )
    return pageOf(wanted, query, { list: 'backups', at: ({ startedAt }) => startedAt, id: ({ id }) => id })
  })

  add(endpoints.fetchBackup, async ({ params: { id }, caller, request, reply }) => {
    refuseMasked(context)
    const { queue } = await readableBackup(context, id, caller)
    await writeAudit(context, { caller, request }, { action: 'backup', target: queue, result: `kept ${id}` })
    await sendBackup(reply, { file: backupFile(settings.backupFolder!, id), name: `${queue}-${id}.backup` })
    return undefined
  })

  add(endpoints.deleteBackup, async (call) => {
    const kept = await readableBackup(context, call.params.id, call.caller)
    await deleteBackup(context, call, { ...call.query, folder: settings.backupFolder!, kept })
    return undefined
  })

  // Only here are bodies no JSON; everywhere else such a body is refused by its type.
  app.register(async (uploads) => {
    uploads.removeAllContentTypeParsers()
    const { mediaType } = endpoints.restoreBackup.accepts!
    uploads.addContentTypeParser(mediaType, (_request, payload, done) => done(null, payload))
    routeAdder(uploads, context)(endpoints.restoreBackup, (call) => {
      const upload = call.request.body as Readable | undefined
      if (upload) return restoreUpload(context, call, upload)
      const message = `Send a backup as ${mediaType}.`
      throw new ApiError({ code: 'API_REQUEST_INVALID', message })
    })
  })
}

async function download(
  context: ApiContext,
  { params: { queue }, query, caller, request, reply }: Call<QueueParams, FilterQuery, unknown>,
): Promise<void> {
  const { broker, tasks, turns } = context
  const select = selectFor(context, caller, query.where)
  refuseWithoutBroker(broker)
  tasks.refuseIfBusy(queue)
  refuseWithoutClient(reply)
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort(goneError()))
  const entry = { action: 'backup', target: queue }
  await writeAudit(context, { caller, request }, entry)
  await withTemporaryFolder(async (folder) => {
    const file = join(folder, 'backup')
    let result = 'failed: nothing was sent'
    try {
      const turn = { queue, looker: caller, signal: gone.signal }
      const { seal, records, id } = await turns.look(turn, () =>
        backUpQueue({
          ...broker,
          queue,
          by: caller.name,
          file,
          signal: gone.signal,
          ...(select && { select }),
        }),
      )
      if (!seal) throw incomplete(queue)
      result = `done ${id}: ${records} messages, handed out`
    } finally {
      await writeAuditEnd(context, { caller, request }, { ...entry, result })
    }
    await sendBackup(reply, { file, name: `${queue}.backup` })
  })
}

async function readableBackup(
  { settings, broker }: ApiContext,
  id: string,
  caller: Call<unknown, unknown, unknown>['caller'],
): Promise<KeptBackup> {
  const kept = settings.backupFolder === undefined ? undefined : await findBackup(settings.backupFolder, id)
  if (kept && mayFetch(caller, kept, broker)) return kept
  throw new ApiError({
    code: 'API_NOT_FOUND',
    message: `There is no backup ${id}. GET /api/v1/backups lists them.`,
  })
}

function refuseMasked({ settings }: ApiContext): void {
  if (settings.maskedPaths.length === 0) return
  const message =
    'Parts of payloads are masked here, but a backup contains them in full. Use `warren dlq backup`.'
  throw new ApiError({ code: 'API_FORBIDDEN', message })
}

function incomplete(queue: string): RecoveryError {
  return new RecoveryError({
    code: 'RECOVERY_INTERRUPTED',
    message: `Not all messages of "${queue}" were seen, so there is no backup of them. Try again.`,
  })
}
