import { createHash, type Hash } from 'node:crypto'
import type {
  BackupHeader,
  BackupLine,
  BackupRecord,
  BackupSeal,
  ReadLine,
  RunStart,
} from './backup-record.ts'
import { readLine } from './backup-record.ts'
import type { BackupRun } from './decide-removal.ts'

/** What a backup holds, as far as it can be read. */
export interface BackupSummary {
  /** What the file is a backup of. */
  readonly header: BackupHeader
  /** In order. */
  readonly runs: readonly BackupRun[]
  /** Records that can be read. */
  readonly records: number
  /** Records that are known to have been there and cannot be read. */
  readonly missing: number
  /** The bodies of all records that can be read, in bytes. */
  readonly bodyBytes: number
  /** That of the last seal, or over all lines if nothing is sealed. */
  readonly digest: string
  /** Of the last run; undefined: it was interrupted. */
  readonly seal: BackupSeal | undefined
  /** Something is wrong before the end of the file. */
  readonly isDamaged: boolean
  /** Bytes behind the last whole block: what an interruption tore off, or damage at the end. */
  readonly tornBytes: number
  /** The running digest, for a writer that continues the file. */
  readonly running: Hash
}

/** The state of one reading; every line goes through it in order. */
export class BackupReading {
  readonly #digest = createHash('sha256')
  readonly #runs = new Map<number, RunReading>()
  #header: BackupHeader | undefined
  #current = new RunReading(1)
  #records = 0
  #bodyBytes = 0
  #tornBytes = 0
  #isDamaged = false

  constructor() {
    this.#runs.set(1, this.#current)
  }

  /** A line of an intact block. Returns it if it is in its place. */
  take(text: string): BackupLine | undefined {
    const line = readLine(text)
    this.#settleTorn(line.kind === 'start' ? line.start : undefined)
    const isRight = line.kind !== 'invalid' && this.#place(line)
    this.#digest.update(`${text}\n`)
    if (isRight) return line
    this.#isDamaged = true
    return undefined
  }

  /** A line of a damaged block. Only a record is believed, by its own digest. */
  salvage(text: string): BackupLine | undefined {
    const line = readLine(text)
    return line.kind === 'record' && this.#placeRecord(line.record) ? line : undefined
  }

  /** Bytes that are no block. Nobody knows what they said about the run. */
  skip(bytes: number): void {
    this.#tornBytes += bytes
    this.#current.isEndKnown = false
  }

  /** Undefined if nothing says what it is. */
  summary(): BackupSummary | undefined {
    const header = this.#header
    if (!header) return undefined
    // Unknown for 0.1: it cut away what an earlier run had said about itself.
    const runs = [...this.#runs.values()]
      .toSorted((left, right) => left.run - right.run)
      .map((run) => run.result(header.format === 'warren-backup/1'))
    const { seal } = this.#current
    const missing = runs.reduce((sum, run) => sum + run.missing, 0)
    return {
      header,
      runs,
      records: this.#records,
      missing,
      bodyBytes: this.#bodyBytes,
      seal,
      digest: seal?.digest ?? this.#digest.copy().digest('hex'),
      isDamaged: this.#isDamaged || missing > 0,
      tornBytes: this.#tornBytes,
      running: this.#digest,
    }
  }

  /** Torn bytes are no damage if the run after them says that it found them. */
  #settleTorn(start: RunStart | undefined): void {
    if (this.#tornBytes > 0 && start?.tornBytes !== this.#tornBytes) this.#isDamaged = true
    this.#tornBytes = 0
  }

  #place(line: Exclude<ReadLine, { kind: 'invalid' }>): boolean {
    if (line.header) {
      if (this.#header && this.#header.id !== line.header.id) return false
      this.#header ??= line.header
    }
    switch (line.kind) {
      case 'header':
        return true
      case 'record':
        return this.#placeRecord(line.record)
      case 'start':
        this.#goOnTo(line.start.run)
        return true
      case 'progress':
        this.#goOnTo(line.progress.run)
        this.#current.takeProgress(line.progress)
        return true
      case 'seal':
        this.#goOnTo(line.seal.run)
        this.#current.takeSeal(line.seal)
        // Earlier damage changes the digest, and is already reported.
        return this.#isDamaged || line.seal.digest === this.#digest.copy().digest('hex')
      case 'removal':
        this.#current.mark = line.mark
        return true
    }
  }

  #placeRecord(record: BackupRecord): boolean {
    this.#goOnTo(record.run)
    if (!this.#current.takeRecord(record)) return false
    this.#records += 1
    this.#bodyBytes += record.body.length
    return true
  }

  /** The first line of a run may be the damaged one. */
  #goOnTo(run: number): void {
    if (run <= this.#current.run) return
    this.#current = new RunReading(run)
    this.#runs.set(run, this.#current)
  }
}

class RunReading {
  readonly run: number
  seal: BackupRun['seal']
  mark: BackupRun['mark']
  isEndKnown = true
  #progress: BackupRun['progress']
  #records = 0
  #highest = 0

  constructor(run: number) {
    this.run = run
  }

  /** Numbers go up; those left out cannot be read. */
  takeRecord({ run, number }: BackupRecord): boolean {
    if (run !== this.run || number <= this.#highest || this.seal) return false
    this.#highest = number
    this.#records += 1
    return true
  }

  takeProgress(progress: NonNullable<BackupRun['progress']>): void {
    this.#progress = progress
    this.#highest = Math.max(this.#highest, progress.removing)
    this.isEndKnown = true // nothing after it is unreadable
  }

  takeSeal(seal: BackupSeal): void {
    this.seal = seal
    this.#highest = Math.max(this.#highest, seal.records)
    this.isEndKnown = true
  }

  result(isOld: boolean): BackupRun {
    return {
      run: this.run,
      records: this.#records,
      missing: this.#highest - this.#records,
      seal: this.seal,
      progress: this.#progress,
      mark: this.mark,
      isEndKnown: this.isEndKnown && !isOld,
    }
  }
}
