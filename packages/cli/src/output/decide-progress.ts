import type { RedriveOptions, RedriveProgress } from 'warrenmq/operations'

/** What a bar counts, and what is told beside it. */
export interface CountedProgress {
  readonly done: number
  readonly total: number
  readonly note?: string
}

interface Choice extends Pick<RedriveOptions, 'limit' | 'select'> {
  /** How many a plan has. */
  readonly selected: number | undefined
}

/**
 * How far a re-drive is. With a plan that is how many of the selected are moved; with a filter and no plan nobody knows
 * how many there are, so what was seen is counted, and the moved are told beside it.
 */
export function decideProgress(
  { present, moved, failed, kept }: Pick<RedriveProgress, 'present' | 'moved' | 'failed' | 'kept'>,
  { limit = Number.POSITIVE_INFINITY, select, selected }: Choice,
): CountedProgress {
  if (selected !== undefined) return { done: moved, total: Math.max(moved, selected) }
  if (!select) return { done: moved, total: Math.min(present, limit) }
  return { done: moved + failed + kept, total: present, note: `seen, ${moved} moved` }
}
