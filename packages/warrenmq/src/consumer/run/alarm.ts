import type { Clock } from '../../clock.ts'

/** One timer for many: it rings at the earliest of the times that it was set to, and is then set to none. */
export interface Alarm {
  setBy(dueMs: number): void
  /** Leaves no timer behind. */
  stop(): void
}

export function createAlarm(clock: Clock, ring: (nowMs: number) => void): Alarm {
  let earliestMs = Number.POSITIVE_INFINITY
  let callOff: (() => void) | undefined

  function stop(): void {
    callOff?.()
    callOff = undefined
    earliestMs = Number.POSITIVE_INFINITY
  }

  return {
    setBy: (dueMs) => {
      if (dueMs >= earliestMs) return
      callOff?.()
      earliestMs = dueMs
      callOff = clock.schedule(Math.max(0, dueMs - clock.now()), () => {
        stop()
        ring(clock.now())
      })
    },
    stop,
  }
}
