export interface SeenSoFar {
  /** Bodies wait in memory until somebody is done with them. */
  readonly keepsBodies: boolean
  readonly seen: number
  readonly seenBytes: number
}

/** A pause per consumer costs less with a large step. */
const mostMessages = 2_000
/** Before anybody knows how large they are. */
const firstMessages = 16
const mostBytes = 128 * 1024 * 1024

/**
 * How many messages the broker may send at a time. If they are not kept, their size does not matter. Many more
 * consumers than messages of this size need would cost the order: a broker remembers that of 32.
 */
export function decideUnderWay({ keepsBodies, seen, seenBytes }: SeenSoFar): number {
  if (!keepsBodies) return mostMessages
  if (seen === 0) return firstMessages
  const byBytes = Math.floor(mostBytes / (1 + seenBytes / seen))
  return Math.max(firstMessages, Math.min(mostMessages, byBytes))
}
