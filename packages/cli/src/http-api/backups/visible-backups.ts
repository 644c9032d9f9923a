import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { KeptBackup } from '../contract/contract.ts'
import { listBackups } from './backup-folder.ts'

/** The kept backups that a caller may fetch. */
export async function visibleBackups(
  { settings, line }: Pick<ApiContext, 'settings' | 'line'>,
  caller: Caller,
): Promise<readonly KeptBackup[]> {
  const kept = settings.backupFolder === undefined ? [] : await listBackups(settings.backupFolder)
  return kept.filter((each) => mayFetch(caller, each, line))
}

/** Servers of several vhosts may share a folder, and a permission is one for queues of its own vhost. */
export function mayFetch(
  caller: Caller,
  { queue, vhost }: KeptBackup,
  line: Pick<ApiContext['line'], 'vhost'>,
): boolean {
  return vhost === line.vhost && mayReadQueue(caller, queue)
}
