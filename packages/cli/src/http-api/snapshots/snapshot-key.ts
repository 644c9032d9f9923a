import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const keyBytes = 32
/** What a lock adds to a block. */
export const lockBytes = tagBytes
/** Node makes a new buffer for what it encrypts. A small one is gone with the next short collection, a large one stays for long. */
const sliceBytes = 16 * 1024

/** Locks the blocks of one file. Nobody else has the key, and it goes with the snapshot. */
export interface SnapshotKey {
  /** Writes the locked block into a buffer that has `lockBytes` more room than the block needs; gives what was written. */
  lock(block: Buffer, number: number, into: Buffer): Buffer
  /** Throws where the bytes are not those that were locked under this number. */
  unlock(locked: Buffer, number: number): Buffer
}

/**
 * A key for one snapshot, made of the server's and of random bytes that are kept in memory only: whoever finds the disk,
 * or even the server's key, cannot read what is left of the file.
 */
export function createSnapshotKey(serverKey: Buffer): SnapshotKey {
  const key = Buffer.from(hkdfSync('sha256', serverKey, randomBytes(keyBytes), 'warren snapshot', keyBytes))
  return {
    lock: (block, number, into) => {
      const cipher = createCipheriv(algorithm, key, nonceOf(number))
      let end = 0
      for (let at = 0; at < block.length; at += sliceBytes)
        end += cipher.update(block.subarray(at, at + sliceBytes)).copy(into, end)
      end += cipher.final().copy(into, end)
      end += cipher.getAuthTag().copy(into, end)
      return into.subarray(0, end)
    },
    unlock: (locked, number) => {
      const end = locked.length - tagBytes
      if (end < 0) throw new Error('the block is too short')
      const decipher = createDecipheriv(algorithm, key, nonceOf(number), { authTagLength: tagBytes })
      decipher.setAuthTag(locked.subarray(end))
      return Buffer.concat([decipher.update(locked.subarray(0, end)), decipher.final()])
    },
  }
}

/** A key locks each number once, so that the number may be the nonce; and no block can stand in the place of another. */
function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(nonceBytes)
  nonce.writeUIntBE(number, nonceBytes - 6, 6)
  return nonce
}
