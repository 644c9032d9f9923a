import { RecoveryError } from '../../errors.ts'
import { formatCounted } from '../../message/format-counted.ts'
import type { BackupSummary } from './backup-reading.ts'
import { countRemovals } from './decide-removal.ts'
import { readBackup } from './read-backup.ts'

/**
 * Checks every record and the whole of a backup, without a broker. One that is not complete is an error.
 * @example
 * ```ts
 * const { records } = await verifyBackup('orders.backup')
 * ```
 */
export async function verifyBackup(file: string): Promise<BackupSummary> {
  const summary = await readBackup(file)
  const problem = describeDamage(summary) ?? describeInterruption(summary)
  if (problem === undefined) return summary
  throw new RecoveryError({
    code: 'BACKUP_INVALID',
    message: `${file} is not a complete ${summary.header.purpose === 'backup' ? 'backup' : 'record of a discard'}. ${problem}`,
  })
}

/**
 * What is wrong with a file that cannot be read to its end; undefined if all of it can be read.
 * @example
 * ```ts
 * const damage = describeDamage(await readBackup('orders.backup'))
 * ```
 */
export function describeDamage({
  records,
  missing,
  isDamaged,
  tornBytes,
  header,
}: BackupSummary): string | undefined {
  if (!isDamaged && tornBytes === 0) return undefined
  const known =
    missing > 0 ? `${records} of ${records + missing} records can be read` : `${records} records can be read`
  const wayOut =
    'Keep the file as it is: `warren dlq restore` restores every record that can be read, and counts the others.'
  // Bytes at the end are what an interruption leaves, and a backup continues after them.
  const again =
    isDamaged || header.purpose === 'discard'
      ? 'Back up what is still in the queue into another file.'
      : 'Or run the same command again to complete it.'
  return `It is damaged${isDamaged ? '' : ' or cut off at its end'}; ${known}. ${wayOut} ${again}`
}

function describeInterruption({ seal, records, header, runs }: BackupSummary): string | undefined {
  if (seal && (header.purpose === 'backup' || header.format === 'warren-backup/1')) return undefined
  if (seal && seal.removed === seal.records) return undefined
  if (header.purpose === 'backup')
    return `It was interrupted after record ${records}. Run the same command again to complete it.`
  const { removed, inDoubt, left } = countRemovals(runs)
  return (
    `It was interrupted: ${formatCounted(removed, 'message')} removed, ${inDoubt} perhaps removed, ${left} still in the queue. ` +
    'Run the same command again to continue, or put back what was removed with `warren dlq restore`.'
  )
}
