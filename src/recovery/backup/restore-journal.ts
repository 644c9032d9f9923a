import { type FileHandle, open, readFile } from 'node:fs/promises'
import { RecoveryError } from '../../errors.ts'

/** Where records went: one backup may be restored on several brokers. */
export interface RestorePlace {
  readonly backup: string
  /** The cluster's name, or host and port where nobody tells it. */
  readonly cluster: string
  readonly vhost: string
  readonly queue: string
}

/**
 * Which records of a backup were restored, beside the backup itself (`<file>.restored`). A record is written
 * down after its confirm; what a crash leaves out is found by looking at the queue, and written down by that run.
 */
export interface RestoreJournal {
  has(recordNumber: number): boolean
  /** Resolves when the disk has it. */
  add(recordNumbers: readonly number[]): Promise<void>
  close(): Promise<void>
}

export async function openJournal(backupFile: string, place: RestorePlace): Promise<RestoreJournal> {
  const file = `${backupFile}.restored`
  const done = await readDone(file, place)
  const handle = await open(file, 'a').catch((cause: unknown) => {
    throw notWritten(file, cause)
  })
  return {
    has: (number) => done.has(number),
    add: (numbers) =>
      append(handle, { ...place, records: numbers }).catch((cause: unknown) => {
        throw notWritten(file, cause)
      }),
    close: () => handle.close(),
  }
}

function notWritten(file: string, cause: unknown): RecoveryError {
  return new RecoveryError(
    {
      code: 'BACKUP_NOT_WRITTEN',
      message: `${file} cannot be read and written, and a second restore would not know of the first: ${(cause as Error).message}`,
    },
    { cause },
  )
}

async function append(handle: FileHandle, line: object): Promise<void> {
  // On a line of its own, whatever a crash has left behind.
  await handle.appendFile(`\n${JSON.stringify(line)}\n`)
  await handle.sync()
}

async function readDone(file: string, place: RestorePlace): Promise<ReadonlySet<number>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw notWritten(file, error)
  })
  const wanted = JSON.stringify(place)
  const done = new Set<number>()
  for (const line of text.split('\n')) {
    const entry = parse(line)
    if (!entry) continue
    const { records, ...where } = entry
    if (JSON.stringify(where) === wanted) for (const number of records) done.add(number)
  }
  return done
}

/** A line that a crash cut off tells nothing; its records are found by looking at the queue. */
function parse(line: string): (RestorePlace & { readonly records: readonly number[] }) | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'object' && entry !== null && 'records' in entry ? (entry as never) : undefined
  } catch {
    return undefined
  }
}
