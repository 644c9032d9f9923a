import { crc32, inflateRawSync } from 'node:zlib'
import { createInflateRaw, deflate } from '../../world.ts'

/*
 * A backup is a row of gzip members, so `zcat` shows it. Each carries its own length in the extra field that
 * gzip has for such things; a member that was torn off by a crash is known without unpacking the ones before.
 */

const headBytes = 20
const tailBytes = 8
/** A record is a string, which Node has up to 512 MiB, and a block ends with the first record that fills it. */
const mostContentBytes = 576 * 1024 * 1024
/** Deflate makes nothing longer by more than a few bytes in a thousand. */
const mostBlockBytes = mostContentBytes + 1024 * 1024
// ID, deflate, "extra field follows", no time, no flags, unknown system; eight bytes of extra: 'WB', four long.
const head = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 8, 0, 0x57, 0x42, 4, 0])

/** One gzip member with this content. */
export async function packBlock(content: Buffer): Promise<Buffer> {
  const packed = await deflate(content, { level: 4 })
  const block = Buffer.allocUnsafe(headBytes + packed.length + tailBytes)
  head.copy(block)
  block.writeUInt32LE(block.length, head.length)
  packed.copy(block, headBytes)
  block.writeUInt32LE(crc32(content), headBytes + packed.length)
  block.writeUInt32LE(content.length, headBytes + packed.length + 4)
  return block
}

/**
 * The length of the member that begins with these bytes; undefined if no member of a backup begins here.
 * @example
 * ```ts
 * const size = readBlockSize(bytes)
 * ```
 */
export function readBlockSize(start: Buffer): number | undefined {
  if (start.length < headBytes || !start.subarray(0, head.length).equals(head)) return undefined
  const size = start.readUInt32LE(head.length)
  return size > headBytes + tailBytes && size <= mostBlockBytes ? size : undefined
}

/** Where the next member begins in these bytes; -1 if none does. */
export function findBlock(bytes: Buffer, from = 0): number {
  return bytes.indexOf(head, from)
}

/**
 * The content of a member; undefined if it is damaged.
 * @example
 * ```ts
 * const content = unpackBlock(bytes)
 * ```
 */
export function unpackBlock(block: Buffer): Buffer | undefined {
  try {
    // What a member says of its length is also the most that is unpacked: a forged one must not fill the memory.
    const statedBytes = block.readUInt32LE(block.length - 4)
    if (statedBytes > mostContentBytes) return undefined
    const content = inflateRawSync(block.subarray(headBytes, -tailBytes), {
      maxOutputLength: statedBytes || 1,
    })
    const isWhole =
      block.readUInt32LE(block.length - tailBytes) === crc32(content) && statedBytes === content.length
    return isWhole ? content : undefined
  } catch {
    return undefined // not deflate, or more than it says: the caller says where in the file
  }
}

const salvageBytes = 64 * 1024 * 1024
/** What zlib has unpacked of a piece in which it finds the damage is lost, so the pieces are small. */
const salvageChunk = 512

/** As much of a damaged member as can be unpacked. No checksum was right, so the reader checks every line. */
export function salvageBlock(block: Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    let bytes = 0
    const inflating = createInflateRaw({ chunkSize: salvageChunk })
    inflating.on('data', (piece: Buffer) => {
      pieces.push(piece)
      bytes += piece.length
      if (bytes > salvageBytes) inflating.destroy()
    })
    for (const end of ['end', 'error', 'close']) inflating.on(end, () => resolve(Buffer.concat(pieces)))
    inflating.end(block.subarray(headBytes))
  })
}

/** This many bytes at the beginning of a member show that it is one. */
export const blockMarkBytes: number = head.length
/** This many bytes tell the size of a member. */
export const blockHeadBytes: number = headBytes
