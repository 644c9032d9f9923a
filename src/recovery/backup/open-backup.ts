import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RecoveryError } from '../../errors.ts'
import { packBlock } from './backup-block.ts'
import type { BackupHeader } from './backup-record.ts'
import { identifyMessage } from './identify-message.ts'
import { type BackupSummary, readBackup } from './read-backup.ts'

/** A backup file that is ready for the next record. */
export interface OpenBackup {
  readonly file: string
  readonly handle: FileHandle
  readonly header: BackupHeader
  /** How often each message stands in the file, by id. */
  readonly known: Map<string, number>
  readonly digest: Hash
  readonly records: number
  readonly bodyBytes: number
  readonly end: number
}

/**
 * Creates a backup file, or opens one that was interrupted and cuts away what is torn off. One that is complete,
 * or not of this queue, is refused: nothing that somebody may need is ever written over.
 */
export async function openBackup(file: string, header: BackupHeader): Promise<OpenBackup> {
  const handle = await open(file, 'a+').catch((cause: unknown) => {
    throw notWritten(file, `${(cause as Error).message}.`, { cause })
  })
  const { size } = await handle.stat()
  await handle.close()
  return size === 0 ? startFile(file, header) : resumeFile(file, header)
}

async function startFile(file: string, header: BackupHeader): Promise<OpenBackup> {
  const line = `${JSON.stringify(header)}\n`
  const block = await packBlock(Buffer.from(line))
  const handle = await open(file, 'r+')
  try {
    await writeWhole(handle, block, 0)
    await handle.sync()
    await syncFolder(dirname(file))
  } catch (cause) {
    await handle.close()
    throw notWritten(file, `${(cause as Error).message}.`, { cause })
  }
  const digest = createHash('sha256').update(line)
  return { file, handle, header, known: new Map(), digest, records: 0, bodyBytes: 0, end: block.length }
}

/** A disk that is nearly full takes a part of a write and fails only the next one. */
export async function writeWhole(handle: FileHandle, block: Buffer, position: number): Promise<void> {
  for (let written = 0; written < block.length; ) {
    const { bytesWritten } = await handle.write(block, written, block.length - written, position + written)
    written += bytesWritten
  }
}

async function resumeFile(file: string, wanted: BackupHeader): Promise<OpenBackup> {
  const known = new Map<string, number>()
  const summary = await readBackup(file, (line) => {
    if (line.kind !== 'record') return
    // Computed anew: another version may have begun the file, and computed ids in another way.
    const id = identifyMessage(line.record)
    known.set(id, (known.get(id) ?? 0) + 1)
  })
  const problem = whyNotResumed(summary, wanted)
  if (problem) throw notWritten(file, problem)
  const handle = await open(file, 'r+')
  await handle.truncate(summary.recordsEnd)
  const { header, records, bodyBytes, running: digest, recordsEnd: end } = summary
  return { file, handle, header, known, digest, records, bodyBytes, end }
}

function whyNotResumed({ header, seal, removal }: BackupSummary, wanted: BackupHeader): string | undefined {
  if (header.queue !== wanted.queue || header.vhost !== wanted.vhost) {
    return `it holds messages of the queue "${header.queue}" in the vhost "${header.vhost}".`
  }
  if (header.purpose !== wanted.purpose) return `it was begun as a ${header.purpose}.`
  // The seal of a discard alone does not tell that its messages are gone: it may have been stopped right there.
  if (removal || (seal && header.purpose === 'backup')) return 'it is complete.'
  return undefined
}

/** A new name in a folder outlives a power failure only when the folder is synced, too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync()
  await handle.close()
}

function notWritten(file: string, problem: string, options?: ErrorOptions): RecoveryError {
  return new RecoveryError(
    { code: 'BACKUP_NOT_WRITTEN', message: `${file} cannot be written: ${problem} Name another file.` },
    options,
  )
}
