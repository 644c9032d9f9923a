import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares in a time that tells nothing of where two texts differ, nor of how long they are. */
export function isSameSecret(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
