import { asTimerMs } from '../../clock.ts'
import { clearTimeout, setTimeout } from '../../world.ts'

/**
 * Waits, or stops waiting when told to; either way it resolves, and leaves no timer and no listener behind.
 * @example
 * ```ts
 * await pause(1_000, AbortSignal.timeout(500))
 * ```
 */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, asTimerMs(delayMs))
    signal.addEventListener('abort', done, { once: true })
  })
}
