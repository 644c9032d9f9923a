import { rm } from 'node:fs/promises'
import { countRemovals, readBackup } from 'warrenmq/operations'

/**
 * Removes the file of a discard that failed before anything was removed: all of it is still in the queue, and in a list
 * it would look like a backup. What a file says of removals is on the disk before the first of them, so one that says
 * nothing, and can be read to its end, holds no only copy. Any other stays.
 */
export async function dropUselessBackup(file: string): Promise<void> {
  try {
    const { runs, isDamaged } = await readBackup(file)
    const { removed, inDoubt } = countRemovals(runs)
    if (!isDamaged && removed === 0 && inDoubt === 0) await rm(file)
  } catch {
    // It is not there, or cannot be read: whoever looks into the folder decides.
  }
}
