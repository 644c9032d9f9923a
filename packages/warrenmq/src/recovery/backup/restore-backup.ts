import { Publisher } from '../../publisher/publisher.ts'
import { hostname } from '../../world.ts'
import { takeLock } from '../lock/take-lock.ts'
import type { BackupSummary } from './backup-reading.ts'
import { countPresent } from './count-present.ts'
import { findLookalikes } from './find-lookalikes.ts'
import { readBackup } from './read-backup.ts'
import { openJournal, type RestoreJournal } from './restore-journal.ts'
import type { RestoreOptions } from './restore-options.ts'
import { type RestoreCounts, RestoreRun } from './restore-run.ts'
import { createReturnWatch } from './return-watch.ts'

/** What a restore put back. */
export interface RestoreReport extends RestoreCounts {
  /** The backup. */
  readonly file: string
  /** The queue that its messages were put into. */
  readonly queue: string
  /** Records in the file that can be read. */
  readonly records: number
  /** Records that are known to have been in the file and cannot be read. */
  readonly unreadable: number
  /** Parts of the file cannot be read: there may have been more records than anybody knows. */
  readonly isDamaged: boolean
}

/**
 * Puts the records of a backup into a queue, each once. Of a discard, these are the ones that it removed, according to
 * its own file. What it may have removed is put back too, and what a crash of the broker may have brought back is
 * counted. Of a backup, whose messages stayed where they were, they are the ones that are not in the queue. What an
 * earlier restore recorded is left out. A damaged file is read as far as possible.
 * @example
 * ```ts
 * const report = await restoreBackup({ ...broker, file: 'orders.backup', by: 'ann' })
 * ```
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { file, consuming, management, by } = options
  const summary = await readBackup(file)
  const { header, records, missing: unreadable, tornBytes } = summary
  const queue = options.queue ?? header.queue
  const { vhost } = consuming
  const holder = `${by} on ${hostname()} (a restore)`
  const lock = await takeLock({ session: consuming, queue, holder, management, vhost })
  try {
    const cluster = await clusterOf(options)
    const journal = await openJournal(file, { backup: header.id, cluster, vhost, queue })
    const counts = await restoreRecords({ ...options, queue }, { journal, summary })
    const isDamaged = summary.isDamaged || tornBytes > 0
    return { file, queue, records, unreadable, isDamaged, ...counts }
  } finally {
    await lock.release()
  }
}

async function restoreRecords(
  options: RestoreOptions & { queue: string },
  { journal, summary }: { journal: RestoreJournal; summary: BackupSummary },
): Promise<RestoreCounts> {
  const publisher = new Publisher(options.publishing)
  try {
    const { publishing, consuming, queue } = options
    const connections = [await consuming.whenConnected(), await publishing.whenConnected()]
    const isSteady = (): boolean =>
      connections[0] === consuming.connection && connections[1] === publishing.connection
    const isBackup = summary.header.purpose === 'backup'
    const present = isBackup ? await countPresent(options) : undefined
    const mayBeBack = isBackup ? () => false : createReturnWatch(await findLookalikes(options, summary))
    const run = new RestoreRun({
      publisher,
      publishing,
      queue,
      journal,
      present,
      runs: summary.runs,
      mayBeBack,
    })
    let done = 0
    await readBackup(options.file, async (line) => {
      if (line.kind !== 'record') return
      await run.take(line.record)
      done += 1
      options.onProgress?.(done, summary.records)
    })
    return await run.finish({ isSteady })
  } finally {
    await Promise.all([publisher.close(), journal.close()])
  }
}

/** By its name, which every node tells its clients. */
async function clusterOf({ consuming }: RestoreOptions): Promise<string> {
  const { agreement, endpoint } = await consuming.whenConnected()
  return agreement.clusterName ?? `${endpoint.host}:${endpoint.port}`
}
