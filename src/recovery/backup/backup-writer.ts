import type { Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage } from '../../broker/amqp/message.ts'
import { RecoveryError } from '../../errors.ts'
import type { MessageSink } from '../hold-messages.ts'
import { packBlock } from './backup-block.ts'
import {
  type BackupHeader,
  type BackupSeal,
  type RemovalMark,
  toRecord,
  writeRecord,
} from './backup-record.ts'
import { type OpenBackup, openBackup, writeWhole } from './open-backup.ts'

/** A block is packed when it holds so much; small enough that a crash tears little off. */
const blockBytes = 1024 * 1024
/** Far more than a block: one that is not full waits for more, and nobody may wait for it meanwhile. */
const mostPendingBytes = 64 * 1024 * 1024

/** What `add` did: a message that an interrupted run has written already is not written again. */
export type Added = { readonly id: string; readonly isNew: boolean }

/**
 * Writes a backup, block by block. One that was interrupted is gone on with: what is torn off is cut away, and
 * messages that are in the file are told apart by their id and by how often they stand in it.
 */
export class BackupWriter implements MessageSink {
  readonly header: BackupHeader
  /** In the file before this run. */
  readonly resumed: number
  onProgress: () => void = () => {}
  readonly #file: string
  readonly #handle: FileHandle
  readonly #failing = new AbortController()
  readonly #known: Map<string, number>
  readonly #digest: Hash
  #records: number
  #bodyBytes: number
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
    this.header = state.header
    this.resumed = state.records
    this.#known = state.known
    this.#digest = state.digest
    this.#records = state.records
    this.#bodyBytes = state.bodyBytes
    this.#end = state.end
  }

  get recordCount(): number {
    return this.#records
  }

  /** The disk is slower than the broker. */
  get isFull(): boolean {
    return this.#pendingBytes >= mostPendingBytes
  }

  /** Aborts with the first write that fails, so that nobody waits for messages that will never be in the file. */
  get failing(): AbortSignal {
    return this.#failing.signal
  }

  /**
   * Takes a copy of a message. One that an interrupted run has written is left out, unless `isRepeated`: then a
   * message stands twice rather than not at all, where two that are alike cannot be told apart.
   */
  add(message: IncomingMessage, { isRepeated = false }: { isRepeated?: boolean } = {}): Added {
    const record = toRecord(message, this.#records + 1)
    const known = this.#known.get(record.id) ?? 0
    if (known > 0 && !isRepeated) {
      this.#known.set(record.id, known - 1)
      return { id: record.id, isNew: false }
    }
    this.#records += 1
    this.#bodyBytes += record.body.length
    this.#line(writeRecord(record))
    if (this.#lineBytes >= blockBytes) this.#flush()
    return { id: record.id, isNew: true }
  }

  /** Writes what is left without a seal. Rejects with what went wrong, now or before. */
  async settle(): Promise<void> {
    this.#flush()
    await this.#writing
  }

  /** Writes what is left and the seal, and waits until the disk has it. */
  async seal(at: Date): Promise<BackupSeal> {
    await this.settle()
    const digest = this.#digest.copy().digest('hex')
    const counts = { records: this.#records, bodyBytes: this.#bodyBytes }
    const seal: BackupSeal = { ...counts, digest, sealedAt: at.toISOString() }
    await this.#writeEnd(seal)
    return seal
  }

  /** Says at the end of the file that its messages are gone from the queue. */
  markRemoved(mark: RemovalMark): Promise<void> {
    return this.#writeEnd(mark)
  }

  /** Keeps what is written; a file without a seal can be gone on with. */
  async close(): Promise<void> {
    await this.settle().catch(() => undefined) // whoever settled or sealed it was told already
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

  async #writeEnd(line: object): Promise<void> {
    await this.#append(await packBlock(Buffer.from(`${JSON.stringify(line)}\n`)))
    await this.#handle.sync()
  }

  async #append(block: Buffer): Promise<void> {
    try {
      await writeWhole(this.#handle, block, this.#end)
    } catch (cause) {
      throw new RecoveryError(
        {
          code: 'BACKUP_NOT_WRITTEN',
          message: `${this.#file} cannot be written: ${(cause as Error).message}. No message has left its queue that is not in the file. Make room and do it again: what is in the file stays.`,
        },
        { cause },
      )
    }
    this.#end += block.length
  }
}
