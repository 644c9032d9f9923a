import type { Clock } from '../../../clock.ts'

/** One instant at which something happens, moved about at will: a queue has one, not one per message. */
export interface Deadline {
  /** Sets or moves it; undefined calls it off. */
  moveTo(atMs: number | undefined): void
}

/** Node fires a longer timer at once, so a longer wait is cut into pieces. */
const longestTimerMs = 2 ** 31 - 1

export function createDeadline(clock: Clock, onReached: () => void): Deadline {
  let targetMs: number | undefined
  let callOff: (() => void) | undefined

  function arm(): void {
    if (targetMs === undefined) return
    callOff = clock.schedule(Math.min(targetMs - clock.now(), longestTimerMs), wake)
  }

  function wake(): void {
    callOff = undefined
    if (targetMs === undefined) return
    // A timer may fire a moment early on a real clock.
    if (clock.now() < targetMs) {
      arm()
      return
    }
    targetMs = undefined
    onReached()
  }

  return {
    moveTo: (atMs) => {
      if (atMs === targetMs) return
      callOff?.()
      callOff = undefined
      targetMs = atMs
      arm()
    },
  }
}
