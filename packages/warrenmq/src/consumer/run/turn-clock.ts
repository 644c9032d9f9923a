import type { Clock } from '../../clock.ts'

/**
 * The time at which what is handled now began. Messages that come with one read were received at one time, and asking
 * the system for it once for each of them is felt.
 */
export function createTurnClock(clock: Pick<Clock, 'now'>): () => number {
  let nowMs: number | undefined
  const forget = (): void => {
    nowMs = undefined
  }
  return () => {
    if (nowMs === undefined) {
      nowMs = clock.now()
      queueMicrotask(forget)
    }
    return nowMs
  }
}
