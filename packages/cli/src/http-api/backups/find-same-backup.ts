import { RecoveryError, readBackup } from 'warrenmq/operations'
import { listBackupFiles, readHeader, undefinedIfGone } from './backup-folder.ts'

/** The file of a folder that is the same backup, by whatever name it is kept. */
export async function findSameBackup(
  folder: string,
  { id, digest }: { id: string; digest: string },
): Promise<string | undefined> {
  for (const file of await listBackupFiles(folder)) {
    // The id only saves reading them all: anybody can write one into another backup.
    const header = await readHeader(file).catch(undefinedIfGone)
    if (header?.id === id && (await digestOf(file)) === digest) return file
  }
  return undefined
}

async function digestOf(file: string): Promise<string | undefined> {
  try {
    return (await readBackup(file)).digest
  } catch (error) {
    if (error instanceof RecoveryError) return undefined // it cannot be read
    throw error
  }
}
