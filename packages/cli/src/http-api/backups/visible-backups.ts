import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { KeptBackup } from '../contract/contract.ts'
import { listBackups } from './backup-folder.ts'

/** The kept backups that a caller may fetch. */
export async function visibleBackups(
  { settings, broker }: Pick<ApiContext, 'settings' | 'broker'>,
  caller: Caller,
): Promise<readonly KeptBackup[]> {
  const kept = settings.backupFolder === undefined ? [] : await listBackups(settings.backupFolder)
  return kept.filter((each) => mayFetch(caller, each, broker))
}

/** Servers of several vhosts may share a folder, and a permission is one for queues of its own vhost. */
export function mayFetch(
  caller: Caller,
  { queue, vhost }: KeptBackup,
  broker: Pick<ApiContext['broker'], 'vhost'>,
): boolean {
  return vhost === broker.vhost && mayReadQueue(caller, queue)
}
