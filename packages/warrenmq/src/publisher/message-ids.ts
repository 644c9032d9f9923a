import { randomUUID } from '../world.ts'

/**
 * Makes message ids: UUIDs of version 4, of which 256 in a row differ in their last byte only. A fresh one
 * for each message would cost as much as encoding the message.
 */
export function createMessageIds(): () => string {
  let prefix = ''
  let next = 256
  return () => {
    if (next === 256) {
      prefix = randomUUID().slice(0, -2)
      next = 0
    }
    const id = prefix + lastBytes[next]
    next += 1
    return id
  }
}

const lastBytes: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)
