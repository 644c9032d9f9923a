import { hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { RecoveryError } from '../../errors.ts'
import { openFile, readFile } from '../../world.ts'

/** Where records went: one backup may be restored on several brokers. */
export interface RestorePlace {
  readonly backup: string
  /** The cluster's name, or host and port if it is not known. */
  readonly cluster: string
  readonly vhost: string
  readonly queue: string
}

/** A record of a backup. Numbers start again with each run, so what was restored of one says nothing about another. */
export interface RecordPlace {
  readonly run: number
  readonly number: number
}

/**
 * Which records of a backup were restored, beside the backup itself (`<file>.restored`). A line before the first
 * publish says that they are in flight, and a line after the confirms says that they arrived. Messages that were only
 * found in the queue are not recorded: they may leave the queue, and must then be restored.
 */
export interface RestoreJournal {
  has(record: RecordPlace): boolean
  /** 0.1 restored it, or found it in the queue. */
  isToldByOld(record: RecordPlace): boolean
  /** This many earlier restores published it without knowing whether it arrived. */
  countBegun(record: RecordPlace): number
  /** They are published next. Resolves when the disk has it. */
  begin(records: readonly RecordPlace[]): Promise<void>
  /** The broker did not take them, so they are where they were before `begin`. */
  refuse(records: readonly RecordPlace[]): Promise<void>
  /** They are there. Resolves when the disk has it. */
  add(records: readonly RecordPlace[]): Promise<void>
  close(): Promise<void>
}

export async function openJournal(backupFile: string, place: RestorePlace): Promise<RestoreJournal> {
  const file = `${backupFile}.restored`
  const { done, old, begun } = await readJournal(file, place)
  const handle = await openFile(file, 'a').catch((cause: unknown) => {
    throw notWritten(file, cause)
  })
  const write = async (
    name: 'begun' | 'refused' | 'records',
    records: readonly RecordPlace[],
  ): Promise<void> => {
    const runs = [...new Set(records.map(({ run }) => run))]
    const lines = runs.map((run) => {
      const numbers = records.filter((record) => record.run === run).map(({ number }) => number)
      return sign({ ...place, run, [name]: numbers })
    })
    await append(handle, lines).catch((cause: unknown) => {
      throw notWritten(file, cause)
    })
  }
  return {
    has: (record) => done.has(keyOf(record)),
    isToldByOld: (record) => old.has(keyOf(record)),
    countBegun: (record) => begun.get(keyOf(record)) ?? 0,
    begin: (records) => write('begun', records),
    refuse: (records) => write('refused', records),
    add: (records) => write('records', records),
    close: () => handle.close(),
  }
}

/** Says of each record of a backup whether the journal proves that it was restored, wherever that was. */
export async function readRestored(
  backupFile: string,
  { backup }: Pick<RestorePlace, 'backup'>,
): Promise<(record: RecordPlace) => boolean> {
  const done = new Set<number>()
  for (const line of (await readText(`${backupFile}.restored`)).split('\n')) {
    const entry = parse(line)
    if (entry?.backup !== backup || entry.run === undefined || !isWhole(entry)) continue
    for (const number of entry.records ?? []) done.add(keyOf({ run: entry.run, number }))
  }
  return (record) => done.has(keyOf(record))
}

/** One number, because a text for each of a million records would cost more than the records. */
function keyOf({ run, number }: RecordPlace): number {
  return run * 2 ** 32 + number
}

function notWritten(file: string, cause: unknown): RecoveryError {
  return new RecoveryError(
    {
      code: 'BACKUP_NOT_WRITTEN',
      message: `${file} cannot be read and written, so a second restore would not know about the first: ${(cause as Error).message}`,
    },
    { cause },
  )
}

async function append(handle: FileHandle, lines: readonly object[]): Promise<void> {
  // On its own line, whatever a crash has left behind.
  await handle.appendFile(`\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
  await handle.sync()
}

interface JournalEntry extends RestorePlace {
  /** 0.1 wrote none, and numbers that a later run of the discard used once more. */
  readonly run?: number
  readonly begun?: readonly number[]
  readonly refused?: readonly number[]
  readonly records?: readonly number[]
  /** 0.1 wrote none. */
  readonly digest?: string
}

/** One changed digit would name another record, and that one would be left out for ever. */
function sign(entry: JournalEntry): JournalEntry {
  return { ...entry, digest: hash('sha256', JSON.stringify(entry), 'hex').slice(0, 16) }
}

function isWhole({ digest, ...entry }: JournalEntry): boolean {
  return sign(entry).digest === digest
}

async function readJournal(
  file: string,
  place: RestorePlace,
): Promise<{
  readonly done: ReadonlySet<number>
  readonly old: ReadonlySet<number>
  readonly begun: ReadonlyMap<number, number>
}> {
  const text = await readText(file)
  const done = new Set<number>()
  const old = new Set<number>()
  const begun = new Map<number, number>()
  for (const line of text.split('\n')) {
    const entry = parse(line)
    if (!entry || !isOf(place, entry)) continue
    const { run = 1, records = [] } = entry
    const keys = (numbers: readonly number[]) => numbers.map((number) => keyOf({ run, number }))
    // 0.1 also wrote down what only looked like a record, so that it proves nothing of what was removed.
    if (entry.run === undefined) {
      count(begun, keys(records), 1)
      for (const key of keys(records)) old.add(key)
      continue
    }
    count(begun, keys(entry.begun ?? []), 1)
    // A damaged line proves nothing: the records that it names may be there.
    if (!isWhole(entry)) {
      count(begun, keys(records), 1)
      continue
    }
    for (const key of keys(records)) done.add(key)
    count(begun, keys(entry.refused ?? []), -1)
  }
  return { done, old, begun }
}

function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw notWritten(file, error)
  })
}

/** How often each was in flight without a proof that it did not arrive. */
function count(counts: Map<number, number>, keys: readonly number[], by: 1 | -1): void {
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + by)
}

function isOf(place: RestorePlace, entry: JournalEntry): boolean {
  return (Object.keys(place) as (keyof RestorePlace)[]).every((key) => entry[key] === place[key])
}

/** A line that a crash cut off says nothing; its records are in doubt. */
function parse(line: string): JournalEntry | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    if (typeof entry !== 'object' || entry === null) return undefined
    const { records = [], begun = [], refused = [] } = entry as JournalEntry
    return [records, begun, refused].every(Array.isArray) ? (entry as JournalEntry) : undefined
  } catch {
    return undefined
  }
}
