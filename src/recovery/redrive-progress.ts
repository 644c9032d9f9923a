import type { RedriveProgress } from './redrive.ts'
import type { RedriveCourse } from './redrive-course.ts'

/** How far a run is. */
export function progressOf({ tally, pace, isWatching, present, wait }: RedriveCourse): RedriveProgress {
  const { moved, failedCount: failed, keptCount: kept } = tally
  const state = pace.isPaused ? 'paused' : isWatching ? 'watching' : 'moving'
  const { waitingMs } = wait
  return { state, present, moved, failed, kept, ...(waitingMs !== undefined && { waitingMs }) }
}
