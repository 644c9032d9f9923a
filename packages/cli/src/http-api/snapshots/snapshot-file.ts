import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type IncomingMessage, type MessageSink, RecoveryError } from 'warrenmq/operations'
import type { RecordPlace } from '../snapshot-index/snapshot-columns.ts'
import { lockBytes, type SnapshotKey } from './snapshot-key.ts'

/** One message costs the reading of one block, so blocks are small. */
const blockBytes = 256 * 1024
/** The last message of a block may go beyond it, and most are smaller than this. */
const usualBytes = blockBytes + 16 * 1024
/** What may wait for the disk. */
const mostPendingBytes = 8 * 1024 * 1024
const headBytes = 8
/** So many blocks at a time, and as many buffers are kept for later. */
const mostAtOnce = 16

interface LockedBlock {
  readonly locked: Buffer
  /** The whole buffer that it is in. */
  readonly room: Buffer
}

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
  /** The block that is being filled, again and again: what is locked is a copy. */
  #block = Buffer.allocUnsafeSlow(usualBytes)
  /** For locked blocks; used again, since the memory of what is thrown away stays taken for long. */
  readonly #free: Buffer[] = []
  /** Locked, and not given to the disk yet. */
  readonly #waiting: LockedBlock[] = []
  #written = 0
  #isWriting = false
  #blockBytes = 0
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
    return this.#starts.at(-1)! + this.#blockBytes
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
    const place = { block: this.#starts.length - 1, offset: this.#blockBytes }
    const propertiesAt = this.#blockBytes + headBytes
    const bodyAt = propertiesAt + properties.length
    this.#makeRoom(bodyAt + bodyBytes)
    this.#block.writeUInt32LE(properties.length, this.#blockBytes)
    this.#block.writeUInt32LE(bodyBytes, this.#blockBytes + 4)
    properties.copy(this.#block, propertiesAt)
    let at = bodyAt
    for (const piece of Buffer.isBuffer(body) ? [body] : body) at += piece.copy(this.#block, at)
    this.#blockBytes = bodyAt + bodyBytes
    if (this.#blockBytes >= blockBytes) this.#flush()
    return place
  }

  /** Waits until all of it is written. Rejects with what went wrong, now or before. */
  async settle(): Promise<void> {
    if (this.#blockBytes > 0) this.#flush()
    await this.#writing
    this.#free.length = 0
    this.#block = Buffer.alloc(0)
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

  #makeRoom(bytes: number): void {
    if (bytes <= this.#block.length) return
    const larger = Buffer.allocUnsafeSlow(bytes)
    this.#block.copy(larger, 0, 0, this.#blockBytes)
    this.#block = larger
  }

  #flush(): void {
    const number = this.#starts.length - 1
    const start = this.#starts.at(-1)!
    const block = this.#block.subarray(0, this.#blockBytes)
    const room = this.#roomFor(block.length + lockBytes)
    const locked = this.#key.lock(block, number, room)
    this.#blockBytes = 0
    // One that was made for a large message is not kept for small ones.
    if (this.#block.length > usualBytes) this.#block = Buffer.allocUnsafeSlow(usualBytes)
    this.#starts.push(start + locked.length)
    this.#pendingBytes += locked.length
    this.#waiting.push({ locked, room })
    if (!this.#isWriting) this.#writing = this.#writeWaiting()
  }

  /**
   * All that waits goes to the disk with one call: there is one call in each turn of the loop, and in a turn more comes
   * from the broker than a block has.
   */
  async #writeWaiting(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      const blocks = this.#waiting.splice(0, mostAtOnce)
      const bytes = blocks.reduce((sum, { locked }) => sum + locked.length, 0)
      await this.#write(
        blocks.map(({ locked }) => locked),
        this.#written,
      )
      this.#written += bytes
      this.#pendingBytes -= bytes
      for (const { room } of blocks)
        if (room.length === usualBytes + lockBytes && this.#free.length < mostAtOnce) this.#free.push(room)
      this.onProgress()
    }
    this.#isWriting = false
  }

  #roomFor(bytes: number): Buffer {
    const usual = usualBytes + lockBytes
    if (bytes > usual) return Buffer.allocUnsafeSlow(bytes)
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(usual)
  }

  /** A disk that is nearly full takes a part of a write and fails only the next one. */
  async #write(blocks: readonly Buffer[], start: number): Promise<void> {
    if (this.#failing.signal.aborted) return
    try {
      let [left, at] = [blocks, start]
      while (left.length > 0) {
        const { bytesWritten } = await this.#handle.writev(left, at)
        at += bytesWritten
        left = dropBytes(left, bytesWritten)
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

function dropBytes(blocks: readonly Buffer[], bytes: number): readonly Buffer[] {
  let left = bytes
  return blocks.flatMap((block) => {
    const dropped = Math.min(left, block.length)
    left -= dropped
    return dropped < block.length ? [block.subarray(dropped)] : []
  })
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
