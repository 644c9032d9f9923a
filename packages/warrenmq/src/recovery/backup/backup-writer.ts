import type { Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage } from '../../broker/amqp/message.ts'
import { RecoveryError } from '../../errors.ts'
import type { MessageSink } from '../look/hold-messages.ts'
import {
  type BackupHeader,
  type BackupRecord,
  type BackupSeal,
  type RemovalProgress,
  toRecord,
  writeRecord,
} from './backup-record.ts'
import { packBlock } from './blocks.ts'
import type { RemovalCounts } from './decide-removal.ts'
import { identifyMessage } from './identify-message.ts'
import { type OpenBackup, openBackup, writeWhole } from './open-backup.ts'
import { readBackup } from './read-backup.ts'

/** A block is packed when it holds so much; small enough that damage costs few records and a crash tears little off. */
const blockBytes = 256 * 1024
/** Far more than a block: a block that is not full waits for more, and nobody may wait for it in the meantime. */
const mostPendingBytes = 32 * 1024 * 1024

/**
 * Writes a backup, block by block. It continues an interrupted file at its end, as another run. A backup leaves out
 * what earlier runs have written, by what a message is and how often it is there. A discard leaves out nothing,
 * because nobody can prove that the message in the queue is the one in the file.
 */
export class BackupWriter implements MessageSink {
  readonly header: BackupHeader
  /** In the file before this run. */
  readonly resumed: number
  /** What earlier runs of a discard have removed. */
  readonly before: RemovalCounts
  onProgress: () => void = () => {}
  readonly #file: string
  readonly #handle: FileHandle
  readonly #run: number
  readonly #failing = new AbortController()
  readonly #known: Map<string, number>
  readonly #digest: Hash
  #records = 0
  #bodyBytes = 0
  #end: number
  #lines: string[] = []
  #lineBytes = 0
  #pendingBytes = 0
  #writing: Promise<void> = Promise.resolve()

  /** Creates the file, or opens one that was interrupted; see `openBackup`. */
  static async open(file: string, header: BackupHeader): Promise<BackupWriter> {
    return new BackupWriter(await openBackup(file, header))
  }

  private constructor(state: OpenBackup) {
    this.#file = state.file
    this.#handle = state.handle
    this.#run = state.run
    this.header = state.header
    this.resumed = state.records
    this.before = state.before
    this.#known = state.known
    this.#digest = state.digest
    this.#end = state.end
  }

  /** In the file, with those of earlier runs. */
  get recordCount(): number {
    return this.resumed + this.#records
  }

  /** The disk is slower than the broker. */
  get isFull(): boolean {
    return this.#pendingBytes >= mostPendingBytes
  }

  /** Aborts with the first write that fails, so that nothing waits for messages that will never be in the file. */
  get failing(): AbortSignal {
    return this.#failing.signal
  }

  /** Takes a copy of a message. A backup leaves out one that an earlier run has written. */
  add(message: IncomingMessage): void {
    const record = toRecord(message, { run: this.#run, number: this.#records + 1 })
    if (this.#known.size > 0 && this.#isKnown(record)) return
    this.#records += 1
    this.#bodyBytes += record.body.length
    this.#line(writeRecord(record))
    if (this.#lineBytes >= blockBytes) this.#flush()
  }

  #isKnown(record: BackupRecord): boolean {
    const id = identifyMessage(record)
    const count = this.#known.get(id) ?? 0
    if (count > 0) this.#known.set(id, count - 1)
    return count > 0
  }

  /** Writes what is left without a seal. Rejects with what went wrong, now or before. */
  async settle(): Promise<void> {
    this.#flush()
    await this.#writing
  }

  /** Waits until the disk has every record, and reads the file back: nothing is acknowledged that is not in it. */
  async prove(): Promise<void> {
    await this.settle()
    await this.#handle.sync()
    const { runs, digest } = await readBackup(this.#file)
    const run = runs.at(-1)!
    const isThere = run.run === this.#run && run.records === this.#records
    if (isThere && digest === this.#digest.copy().digest('hex')) return
    throw this.#notWritten(new Error('the file does not contain what was written'))
  }

  /** Says which records of this run are removed, and which are about to be. The disk has it then. */
  noteRemoval(counts: Omit<RemovalProgress, 'run'>): Promise<void> {
    return this.#writeEnd({ run: this.#run, ...counts })
  }

  /** Writes what is left and the seal, and waits until the disk has it. */
  async seal(
    at: Date,
    removal: Pick<BackupSeal, 'removed' | 'inDoubt' | 'survivesCrash'> = {},
  ): Promise<BackupSeal> {
    await this.settle()
    const digest = this.#digest.copy().digest('hex')
    const counts = { run: this.#run, records: this.#records, bodyBytes: this.#bodyBytes }
    const seal: BackupSeal = { ...counts, digest, sealedAt: at.toISOString(), ...removal }
    await this.#writeEnd(seal)
    return seal
  }

  /** Keeps what is written; a file without a seal can be continued. */
  async close(): Promise<void> {
    await this.settle().catch(() => undefined) // the caller that settled or sealed it knows already
    await this.#handle.close()
  }

  #line(line: string): void {
    this.#digest.update(line)
    this.#lines.push(line)
    this.#lineBytes += line.length
    this.#pendingBytes += line.length
  }

  #flush(): void {
    if (this.#lines.length === 0) return
    const content = Buffer.from(this.#lines.join(''))
    const bytes = this.#lineBytes
    this.#lines = []
    this.#lineBytes = 0
    const packed = packBlock(content)
    this.#writing = this.#writing.then(async () => {
      await this.#append(await packed)
      this.#pendingBytes -= bytes
      this.onProgress()
    })
    this.#writing.catch((error: unknown) => {
      this.#pendingBytes = 0 // none of them is waited for any more
      this.#failing.abort(error) // told by `settle` and `seal`
    })
  }

  /** A line that is not lost with the first line of the file, because it repeats that line. */
  async #writeEnd(line: object): Promise<void> {
    const text = `${JSON.stringify({ ...line, header: this.header })}\n`
    this.#digest.update(text)
    await this.#append(await packBlock(Buffer.from(text)))
    await this.#handle.sync()
  }

  async #append(block: Buffer): Promise<void> {
    try {
      this.#failing.signal.throwIfAborted() // behind a block that was torn off nothing can be told any more
      await writeWhole(this.#handle, block, this.#end)
    } catch (cause) {
      this.#failing.abort(cause)
      throw this.#notWritten(cause)
    }
    this.#end += block.length
  }

  #notWritten(cause: unknown): RecoveryError {
    if (cause instanceof RecoveryError) return cause
    return new RecoveryError(
      {
        code: 'BACKUP_NOT_WRITTEN',
        message: `${this.#file} cannot be written: ${(cause as Error).message}. Every message that has left its queue is in the file. Free some space and run it again: what is in the file stays.`,
      },
      { cause },
    )
  }
}
