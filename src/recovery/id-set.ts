import { hashText } from './hash-text.ts'

/** Ids that were seen, in a memory that does not grow with them. It never forgets one, and may take one for another. */
export interface IdSet {
  add(id: string): void
  has(id: string): boolean
  clear(): void
}

/** Of a million ids three in a hundred are taken for another one. */
const bits = 25

export function createIdSet(): IdSet {
  let words: Uint32Array | undefined
  return {
    add: (id) => {
      words ??= new Uint32Array(2 ** (bits - 5))
      const place = placeOf(id)
      words[place >>> 5]! |= 1 << (place & 31)
    },
    has: (id) => {
      if (!words) return false
      const place = placeOf(id)
      return (words[place >>> 5]! & (1 << (place & 31))) !== 0
    },
    clear: () => {
      words?.fill(0)
    },
  }
}

/** The upper bits are mixed best. */
function placeOf(id: string): number {
  const sum = hashText(id)
  return (sum ^ (sum >>> 15)) >>> (32 - bits)
}
