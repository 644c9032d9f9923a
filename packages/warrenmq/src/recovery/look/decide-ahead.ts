export interface AheadQuestion {
  /** What is sent ahead should come within this time. */
  readonly mostAheadMs: number
  /** Of a body; undefined if nobody counted. */
  readonly averageBytes: number | undefined
  /** What the broker was last allowed to send: this many have come, in this time. */
  readonly came: number
  readonly elapsedMs: number
}

/** A slow connection carries so much in about a second. */
const firstBytes = 64 * 1024
const usualBytes = 4 * 1024
const mostAtFirst = 2_000

/**
 * How many messages the broker may send ahead of a look that has to end in time: no more than come within a while, as fast
 * as they came so far. What was sent ahead has to come before a look can give everything back in its order.
 */
export function decideAhead({
  mostAheadMs,
  averageBytes = usualBytes,
  came,
  elapsedMs,
}: AheadQuestion): number {
  const first = Math.max(1, Math.min(mostAtFirst, Math.floor(firstBytes / Math.max(1, averageBytes))))
  const byPace = Math.floor((came / Math.max(1, elapsedMs)) * mostAheadMs)
  return Math.max(first, byPace)
}
