import type { FileHandle } from 'node:fs/promises'
import {
  blockHeadBytes,
  blockMarkBytes,
  findBlock,
  readBlockSize,
  salvageBlock,
  unpackBlock,
} from './blocks.ts'

/** A part of a backup file: a block whose checksum is right, or bytes that are none, with what could be unpacked of them. */
export interface Region {
  readonly kind: 'whole' | 'damaged'
  readonly content: Buffer
  readonly bytes: number
}

/** Reads a file from its first to its last byte. After damage it continues with the next block that begins anywhere. */
export async function* readRegions(handle: FileHandle): AsyncGenerator<Region> {
  const { size: fileBytes } = await handle.stat()
  for (let at = 0; at < fileBytes; ) {
    const block = await readBlock(handle, { at, fileBytes })
    const content = block && unpackBlock(block)
    if (content) {
      yield { kind: 'whole', content, bytes: block.length }
      at += block.length
      continue
    }
    const end = (await findNext(handle, at + 1)) ?? fileBytes
    const damaged = await readAt(handle, at, Math.min(end - at, mostSalvagedBytes))
    yield { kind: 'damaged', content: await salvageBlock(damaged), bytes: end - at }
    at = end
  }
}

/** More is one message that fills a block by itself, and of that a part is of no use. */
const mostSalvagedBytes = 16 * 1024 * 1024
const scannedBytes = 64 * 1024

async function readBlock(
  handle: FileHandle,
  { at, fileBytes }: { at: number; fileBytes: number },
): Promise<Buffer | undefined> {
  const size = readBlockSize(await readAt(handle, at, blockHeadBytes))
  return size === undefined || at + size > fileBytes ? undefined : readAt(handle, at, size)
}

async function findNext(handle: FileHandle, from: number): Promise<number | undefined> {
  // The pieces overlap, because a block may begin at the end of one.
  for (let at = from; ; at += scannedBytes) {
    const piece = await readAt(handle, at, scannedBytes + blockMarkBytes - 1)
    const found = findBlock(piece)
    if (found >= 0) return at + found
    if (piece.length < scannedBytes) return undefined
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
