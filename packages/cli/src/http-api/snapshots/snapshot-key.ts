import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const keyBytes = 32

/** Locks the blocks of one file. Nobody else has the key, and it goes with the snapshot. */
export interface SnapshotKey {
  lock(block: Buffer, number: number): Buffer
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
    lock: (block, number) => {
      const cipher = createCipheriv(algorithm, key, nonceOf(number))
      return Buffer.concat([cipher.update(block), cipher.final(), cipher.getAuthTag()])
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
