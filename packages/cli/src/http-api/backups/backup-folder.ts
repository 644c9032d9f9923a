import { mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import {
  ApiError,
  type BackupHeader,
  blockHeadBytes,
  readBlockSize,
  readLine,
  unpackBlock,
} from 'warrenmq/operations'
import type { KeptBackup } from '../contract/contract.ts'

const ending = '.backup'

/** Where a backup of this id is kept. */
export function backupFile(folder: string, id: string): string {
  return join(folder, `${id}${ending}`)
}

/** The id of the backup that a file is. */
export function backupId(file: string): string {
  return basename(file, ending)
}

/** The folder, made if it is missing and closed to others: it holds messages. */
export async function openBackupFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** The backups in a folder, the newest first. What is none is left out. */
export async function listBackups(folder: string): Promise<readonly KeptBackup[]> {
  const files = await listBackupFiles(folder)
  const kept = (await Promise.all(files.map(describeBackup))).filter((each) => each !== undefined)
  return kept.toSorted((left, right) => (left.startedAt < right.startedAt ? 1 : -1))
}

export async function listBackupFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(await openBackupFolder(folder))
  return names.filter((name) => name.endsWith(ending)).map((name) => join(folder, name))
}

export async function findBackup(folder: string, id: string): Promise<KeptBackup> {
  const file = backupFile(folder, id)
  const kept = (await isThere(file)) ? await describeBackup(file) : undefined
  if (kept) return kept
  throw new ApiError({
    code: 'API_NOT_FOUND',
    message: `There is no backup ${id}. GET /api/v1/backups lists them.`,
  })
}

export function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}

/** A folder for one request, gone when the work is done. */
export async function withTemporaryFolder<Result>(
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'warren-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Undefined also where it was deleted a moment ago. */
async function describeBackup(file: string): Promise<KeptBackup | undefined> {
  const header = await readHeader(file).catch(undefinedIfGone)
  if (!header) return undefined
  const { purpose, queue, vhost, by, startedAt } = header
  const found = await stat(file).catch(undefinedIfGone)
  if (!found) return undefined
  const { size: sizeBytes } = found
  return { id: backupId(file), purpose, queue, vhost, by, startedAt, sizeBytes }
}

/** For what another server may delete meanwhile. */
export function undefinedIfGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Reads the beginning only: that a backup is whole is proved when it is restored. */
export async function readHeader(file: string): Promise<BackupHeader | undefined> {
  const handle = await open(file, 'r')
  try {
    const head = Buffer.alloc(blockHeadBytes)
    await handle.read(head, 0, blockHeadBytes, 0)
    const size = readBlockSize(head)
    if (size === undefined || size > mostHeaderBytes) return undefined
    const block = Buffer.alloc(size)
    await handle.read(block, 0, size, 0)
    return headerOf(unpackBlock(block))
  } finally {
    await handle.close()
  }
}

/** The first block holds one line. */
const mostHeaderBytes = 64 * 1024

function headerOf(content: Buffer | undefined): BackupHeader | undefined {
  const line = readLine(content?.toString('utf8').split('\n')[0] ?? '')
  return line.kind === 'header' ? line.header : undefined
}
