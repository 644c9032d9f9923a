export interface PrefetchQuestion {
  /** Messages that may be taken and not acknowledged. */
  readonly window: number
  /** The most messages that are wanted. */
  readonly limit: number
  /** Of a body; undefined if nobody counted. */
  readonly averageBytes: number | undefined
}

/** What is sent ahead lies in memory. */
const aheadBytes = 64 * 1024 * 1024
const mostOfUnknownSize = 400

/** How many messages the broker may send ahead. A request for ten does not get a thousand. */
export function decidePrefetch({ window, limit, averageBytes }: PrefetchQuestion): number {
  const mostBySize = averageBytes === undefined ? mostOfUnknownSize : Math.floor(aheadBytes / averageBytes)
  return Math.max(1, Math.min(window, limit, mostBySize))
}
