import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type IncomingMessage, joinBody, type MessageSink, RecoveryError } from 'warrenmq/operations'
import type { RecordPlace } from '../snapshot-index/snapshot-columns.ts'
import type { SnapshotKey } from './snapshot-key.ts'

/** One message costs the reading of one block, so blocks are small. */
const blockBytes = 256 * 1024
/** What may wait for the disk. */
const mostPendingBytes = 32 * 1024 * 1024
const headBytes = 8

/** What the file has of a message; the rest is in the index. */
export type StoredMessage = Pick<IncomingMessage, 'properties' | 'bodyBytes'> & { readonly body: Buffer }

/**
 * The messages of a snapshot on the disk, byte for byte and locked. The file loses its name as soon as it is open: the
 * system frees it when the server closes it or ends, however it ends.
 */
export class SnapshotFile implements MessageSink {
  onProgress: () => void = () => {}
  readonly #handle: FileHandle
  readonly #key: SnapshotKey
  readonly #failing = new AbortController()
  /** Where each block begins, and where the last one ends. */
  readonly #starts: number[] = [0]
  #pieces: Buffer[] = []
  #pieceBytes = 0
  #pendingBytes = 0
  #writing: Promise<void> = Promise.resolve()

  static async open(folder: string, key: SnapshotKey): Promise<SnapshotFile> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const path = join(folder, `${randomUUID()}.snapshot`)
      const handle = await open(path, 'wx+', 0o600)
      await unlink(path)
      return new SnapshotFile(handle, key)
    } catch (cause) {
      throw notWritten(cause)
    }
  }

  /** @param handle of a file that nobody else writes to */
  constructor(handle: FileHandle, key: SnapshotKey) {
    this.#handle = handle
    this.#key = key
  }

  /** On the disk, or on the way there. */
  get bytes(): number {
    return this.#starts.at(-1)! + this.#pieceBytes
  }

  get isFull(): boolean {
    return this.#pendingBytes >= mostPendingBytes
  }

  /** Aborts with the first write that fails. */
  get failing(): AbortSignal {
    return this.#failing.signal
  }

  /** Takes a copy of a message, and says where it will be. */
  add({ properties, body, bodyBytes }: IncomingMessage): RecordPlace {
    const place = { block: this.#starts.length - 1, offset: this.#pieceBytes }
    const record = Buffer.allocUnsafe(headBytes + properties.length + bodyBytes)
    record.writeUInt32LE(properties.length, 0)
    record.writeUInt32LE(bodyBytes, 4)
    properties.copy(record, headBytes)
    joinBody(body).copy(record, headBytes + properties.length)
    this.#pieces.push(record)
    this.#pieceBytes += record.length
    if (this.#pieceBytes >= blockBytes) this.#flush()
    return place
  }

  /** Waits until all of it is written. Rejects with what went wrong, now or before. */
  async settle(): Promise<void> {
    if (this.#pieceBytes > 0) this.#flush()
    await this.#writing
    this.#failing.signal.throwIfAborted()
  }

  async read({ block, offset }: RecordPlace): Promise<StoredMessage> {
    const [message] = await this.readAll(block, [offset])
    return message!
  }

  /** Several messages of one block. */
  async readAll(block: number, offsets: readonly number[]): Promise<readonly StoredMessage[]> {
    const content = await this.#readBlock(block)
    return offsets.map((offset) => messageAt(content, offset))
  }

  /** What is on the disk is freed. */
  async close(): Promise<void> {
    await this.#writing
    await this.#handle.close()
  }

  #flush(): void {
    const number = this.#starts.length - 1
    const start = this.#starts.at(-1)!
    const locked = this.#key.lock(Buffer.concat(this.#pieces, this.#pieceBytes), number)
    this.#pieces = []
    this.#pieceBytes = 0
    this.#starts.push(start + locked.length)
    this.#pendingBytes += locked.length
    this.#writing = this.#writing
      .then(() => this.#write(locked, start))
      .finally(() => {
        this.#pendingBytes -= locked.length
        this.onProgress()
      })
  }

  /** A disk that is nearly full takes a part of a write and fails only the next one. */
  async #write(block: Buffer, start: number): Promise<void> {
    if (this.#failing.signal.aborted) return
    try {
      for (let done = 0; done < block.length; ) {
        const { bytesWritten } = await this.#handle.write(block, done, block.length - done, start + done)
        done += bytesWritten
      }
    } catch (cause) {
      this.#failing.abort(notWritten(cause))
    }
  }

  async #readBlock(number: number): Promise<Buffer> {
    const start = this.#starts[number]!
    const length = this.#starts[number + 1]! - start
    try {
      const { buffer, bytesRead } = await this.#handle.read(Buffer.allocUnsafe(length), 0, length, start)
      return this.#key.unlock(buffer.subarray(0, bytesRead), number)
    } catch (cause) {
      const message = `The block ${number} of a snapshot cannot be read: ${(cause as Error).message}.`
      throw new RecoveryError({ code: 'BACKUP_INVALID', message }, { cause })
    }
  }
}

function messageAt(block: Buffer, offset: number): StoredMessage {
  const propertiesEnd = offset + headBytes + block.readUInt32LE(offset)
  const bodyBytes = block.readUInt32LE(offset + 4)
  return {
    properties: block.subarray(offset + headBytes, propertiesEnd),
    body: block.subarray(propertiesEnd, propertiesEnd + bodyBytes),
    bodyBytes,
  }
}

function notWritten(cause: unknown): RecoveryError {
  const message = `A snapshot cannot be written: ${(cause as Error).message}.`
  return new RecoveryError({ code: 'BACKUP_NOT_WRITTEN', message }, { cause })
}
