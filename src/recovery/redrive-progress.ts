import type { RedriveProgress } from './redrive.ts'
import type { RedriveCourse } from './redrive-course.ts'

/** How far a run is. */
export function progressOf({ tally, pace, isWatching, present }: RedriveCourse): RedriveProgress {
  const { moved, failedCount: failed, keptCount: kept } = tally
  const state = pace.isPaused ? 'paused' : isWatching ? 'watching' : 'moving'
  return { state, present, moved, failed, kept }
}
