import type { Clock } from '../../clock.ts'

/** Waits on a clock, or until the signal; either way it resolves and leaves no timer and no listener behind. */
export function pause(
  delayMs: number,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      callOff()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const callOff = clock.schedule(delayMs, done)
    signal.addEventListener('abort', done, { once: true })
  })
}
