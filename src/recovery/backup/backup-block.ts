import { promisify } from 'node:util'
import { crc32, deflateRaw, inflateRawSync } from 'node:zlib'

/*
 * A backup is a row of gzip members, so `zcat` shows it. Each carries its own length in the extra field that
 * gzip has for such things; a member that was torn off by a crash is known without unpacking the ones before.
 */

const compress = promisify(deflateRaw)
const headBytes = 20
const tailBytes = 8
/** A record is a string, which Node has up to 512 MiB, and a block ends with the first record that fills it. */
const mostContentBytes = 576 * 1024 * 1024
// ID, deflate, "extra field follows", no time, no flags, unknown system; eight bytes of extra: 'WB', four long.
const head = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 8, 0, 0x57, 0x42, 4, 0])

/** One gzip member with this content. */
export async function packBlock(content: Buffer): Promise<Buffer> {
  const packed = await compress(content, { level: 4 })
  const block = Buffer.allocUnsafe(headBytes + packed.length + tailBytes)
  head.copy(block)
  block.writeUInt32LE(block.length, head.length)
  packed.copy(block, headBytes)
  block.writeUInt32LE(crc32(content), headBytes + packed.length)
  block.writeUInt32LE(content.length, headBytes + packed.length + 4)
  return block
}

/** How long the member is whose first bytes these are; undefined where no member of a backup begins. */
export function readBlockSize(start: Buffer): number | undefined {
  if (start.length < headBytes || !start.subarray(0, head.length).equals(head)) return undefined
  return start.readUInt32LE(head.length)
}

/** The content of a member; undefined where it is damaged. */
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

/** So many bytes tell the size of a member. */
export const blockHeadBytes: number = headBytes
