/** A part of the log, counted from its newest record. */
export interface AuditPlace {
  readonly limit: number
  /** Only what was written before this place. @default all */
  readonly before?: number | undefined
}

/**
 * The offsets of one page, so that reading it costs as much as its records, however long the log is. Whoever asks for
 * what is not written yet is shown the newest. RabbitMQ leaves offsets out where it begins another segment, so a page
 * may hold fewer records than it has offsets.
 */
export function planPage(
  { limit, before = Number.POSITIVE_INFINITY }: AuditPlace,
  end: number,
): { readonly from: number; readonly to: number } {
  const to = Math.min(before - 1, end)
  return { from: Math.max(0, to - limit + 1), to }
}

/**
 * Where the next page ends; null where nothing is older.
 * @param oldest the first offset that the stream still has
 */
export function planNextPage({ from, oldest }: { from: number; oldest: number }): number | null {
  return oldest < from ? from : null
}
