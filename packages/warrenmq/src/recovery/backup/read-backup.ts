import { RecoveryError } from '../../errors.ts'
import { openFile } from '../../world.ts'
import { BackupReading, type BackupSummary } from './backup-reading.ts'
import type { BackupLine } from './backup-record.ts'
import { readRegions } from './read-regions.ts'

/**
 * Reads a backup from its first to its last byte, a block at a time, and checks every digest. `onLine` gets each
 * intact line, after damage too, because a record has its own digest. Needs no broker.
 * @example
 * ```ts
 * const { records, isDamaged } = await readBackup('orders.backup')
 * ```
 */
export async function readBackup(
  file: string,
  onLine: (line: BackupLine) => void | Promise<void> = () => {},
): Promise<BackupSummary> {
  const handle = await openFile(file, 'r').catch((cause: unknown) => {
    throw invalid(`${file} cannot be read: ${(cause as Error).message}`, { cause })
  })
  try {
    const reading = new BackupReading()
    for await (const { kind, content, bytes } of readRegions(handle)) {
      if (kind === 'damaged') reading.skip(bytes)
      for (const text of linesOf(content)) {
        const line = kind === 'whole' ? reading.take(text) : reading.salvage(text)
        if (line) await onLine(line)
      }
    }
    const summary = reading.summary()
    if (!summary) throw invalid(`${file} is not a backup that Warren wrote.`)
    return summary
  } finally {
    await handle.close()
  }
}

/** Each line ends with a line feed; what follows the last one is an incomplete line. */
function linesOf(content: Buffer): readonly string[] {
  return content.toString('utf8').split('\n').slice(0, -1)
}

function invalid(message: string, options?: ErrorOptions): RecoveryError {
  return new RecoveryError({ code: 'BACKUP_INVALID', message }, options)
}
