import { RecoveryError } from '../../errors.ts'
import { type BackupSummary, readBackup } from './read-backup.ts'

/** Checks every record and the whole of a backup, without a broker. One that is not complete is an error. */
export async function verifyBackup(file: string): Promise<BackupSummary> {
  const summary = await readBackup(file)
  if (summary.tornBytes > 0) {
    throw invalid(
      file,
      `${summary.tornBytes} bytes behind record ${summary.records} are damaged or torn off.`,
    )
  }
  if (!summary.seal) throw invalid(file, `It was interrupted behind record ${summary.records}.`)
  return summary
}

function invalid(file: string, problem: string): RecoveryError {
  return new RecoveryError({
    code: 'BACKUP_INVALID',
    message: `${file} is not a complete backup. ${problem} Run the same command again to complete it, if its messages are still in the queue.`,
  })
}
