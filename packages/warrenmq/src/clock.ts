import { clearTimeout, dateNow, performance, setTimeout } from './world.ts'

/** Where time comes from. The real clock outside tests; a clock that a test turns inside them. */
export interface Clock {
  /**
   * Milliseconds since the epoch.
   * @example
   * ```ts
   * const startedAtMs = clock.now()
   * ```
   */
  now(): number
  /**
   * Runs `task` once after `delayMs`; the returned function calls it off.
   * @example
   * ```ts
   * const callOff = clock.schedule(1_000, () => console.log('a second later'))
   * callOff()
   * ```
   */
  schedule(delayMs: number, task: () => void): () => void
}

/** Wall time and Node's timers. Timers do not keep the process alive on their own. */
export const realClock: Clock = {
  now: () => dateNow(),
  schedule: (delayMs, task) => {
    const timer = setTimeout(task, asTimerMs(delayMs))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** The same, for spans of time: it runs evenly even if somebody sets the clock of the machine. */
export const steadyClock: Clock = { ...realClock, now: () => performance.timeOrigin + performance.now() }

/** In milliseconds. A timer of Node that is set for longer fires immediately. */
export const longestTimerMs = 2_147_483_647

/** A time that somebody chose, as a timer takes it: whoever says '30d' wants no timer that rings at once. */
export function asTimerMs(durationMs: number): number {
  return Math.min(durationMs, longestTimerMs)
}
