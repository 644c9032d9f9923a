import { createHash, type Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RecoveryError } from '../../errors.ts'
import { openFile } from '../../world.ts'
import type { BackupSummary } from './backup-reading.ts'
import type { BackupHeader, RunStart } from './backup-record.ts'
import { packBlock } from './blocks.ts'
import { countRemovals, type RemovalCounts } from './decide-removal.ts'
import { identifyMessage } from './identify-message.ts'
import { readBackup } from './read-backup.ts'

/** A backup file that is ready for the next record. */
export interface OpenBackup {
  readonly file: string
  readonly handle: FileHandle
  readonly header: BackupHeader
  /** The run that begins now, from 1. */
  readonly run: number
  /** How often each message is in the file, by id; not needed for a discard. */
  readonly known: Map<string, number>
  readonly digest: Hash
  /** In the file, written by earlier runs. */
  readonly records: number
  readonly bodyBytes: number
  /** What earlier runs of a discard have removed. */
  readonly before: RemovalCounts
  readonly end: number
}

/**
 * Creates a backup file, or opens an interrupted one to continue at its end. Refuses a file that is complete, damaged,
 * or not of this queue. No byte of a file is ever cut off or overwritten: it may hold the only copy of a message.
 */
export async function openBackup(file: string, header: BackupHeader): Promise<OpenBackup> {
  // It holds messages, which concern nobody else on this machine.
  const handle = await openFile(file, 'a+', 0o600).catch((cause: unknown) => {
    throw notWritten(file, `${(cause as Error).message}.`, { cause })
  })
  const { size } = await handle.stat()
  await handle.close()
  return size === 0 ? startFile(file, header) : resumeFile(file, { wanted: header, size })
}

async function startFile(file: string, header: BackupHeader): Promise<OpenBackup> {
  const line = `${JSON.stringify(header)}\n`
  const opened = await append(file, { line, end: 0 })
  await syncFolder(dirname(file))
  const digest = createHash('sha256').update(line)
  const before = { removed: 0, inDoubt: 0, left: 0 }
  return { ...opened, header, run: 1, known: new Map(), digest, records: 0, bodyBytes: 0, before }
}

async function resumeFile(
  file: string,
  { wanted, size }: { wanted: BackupHeader; size: number },
): Promise<OpenBackup> {
  const known = new Map<string, number>()
  const summary = await readBackup(file, (line) => {
    if (line.kind !== 'record' || wanted.purpose === 'discard') return
    const id = identifyMessage(line.record)
    known.set(id, (known.get(id) ?? 0) + 1)
  })
  const problem = whyNotResumed(summary, wanted)
  if (problem) throw notWritten(file, problem)
  const { header, runs, records, bodyBytes, running: digest, tornBytes } = summary
  const run = runs.at(-1)!.run + 1
  const start: RunStart = { run, resumedAt: wanted.startedAt, by: wanted.by, tornBytes }
  const line = `${JSON.stringify({ ...start, header })}\n`
  const opened = await append(file, { line, end: size })
  digest.update(line)
  return { ...opened, header, run, known, digest, records, bodyBytes, before: countRemovals(runs) }
}

function whyNotResumed(summary: BackupSummary, wanted: BackupHeader): string | undefined {
  const { header, seal, runs } = summary
  if (header.queue !== wanted.queue || header.vhost !== wanted.vhost) {
    return `it holds messages of the queue "${header.queue}" in the vhost "${header.vhost}".`
  }
  if (header.purpose !== wanted.purpose) return `it contains a ${header.purpose}.`
  if (summary.isDamaged) return 'it is damaged. The records that can be read can be restored.'
  if (header.purpose === 'backup') return seal ? 'it is complete.' : undefined
  if (seal && seal.removed === seal.records) return 'it is complete.'
  return header.format === 'warren-backup/1' || runs.some(({ mark }) => mark)
    ? 'an earlier version wrote it.'
    : undefined
}

/** Opens a file for writing and appends a block with this line; then the disk has it. */
async function append(
  file: string,
  { line, end }: { line: string; end: number },
): Promise<Pick<OpenBackup, 'file' | 'handle' | 'end'>> {
  const block = await packBlock(Buffer.from(line))
  const handle = await openFile(file, 'r+')
  try {
    await writeWhole(handle, block, end)
    await handle.sync()
    return { file, handle, end: end + block.length }
  } catch (cause) {
    await handle.close()
    throw notWritten(file, `${(cause as Error).message}.`, { cause })
  }
}

/** A disk that is nearly full takes a part of a write and fails only the next one. */
export async function writeWhole(handle: FileHandle, block: Buffer, position: number): Promise<void> {
  for (let written = 0; written < block.length; ) {
    const { bytesWritten } = await handle.write(block, written, block.length - written, position + written)
    written += bytesWritten
  }
}

/** A new name in a folder outlives a power failure only when the folder is synced, too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await openFile(folder, 'r')
  await handle.sync()
  await handle.close()
}

function notWritten(file: string, problem: string, options?: ErrorOptions): RecoveryError {
  return new RecoveryError(
    { code: 'BACKUP_NOT_WRITTEN', message: `${file} cannot be written: ${problem} Name another file.` },
    options,
  )
}
