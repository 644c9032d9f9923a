import { setMaxListeners } from 'node:events'
import { asTimerMs } from './clock.ts'
import { clearTimeout, setTimeout } from './world.ts'

/** One signal for several reasons to end. */
export interface JoinedSignal {
  /** Aborted as soon as one of the reasons comes, with that reason. */
  readonly signal: AbortSignal
  /**
   * Leaves neither timer nor listener behind.
   * @example
   * ```ts
   * const { release } = joinSignals([AbortSignal.timeout(60_000)], { timeoutMs: 5_000 })
   * release()
   * ```
   */
  release(): void
}

/** What else ends the joined signal. */
export interface JoinOptions {
  /**
   * It aborts after this many milliseconds, too. @default never
   * @example { timeoutMs: 5_000 }
   */
  readonly timeoutMs?: number
  /**
   * Why it aborts when the time is over. @default a `TimeoutError`
   * @example { timeoutReason: () => new Error('The broker took too long.') }
   */
  readonly timeoutReason?: () => Error
}

/**
 * Aborts with the first of the signals, or after a time. Not `AbortSignal.any()`: on Node 20 nobody holds what it makes,
 * so the garbage collector may take it away with its time-out, and whoever listens waits for ever.
 * @example
 * ```ts
 * const { signal, release } = joinSignals([AbortSignal.timeout(60_000)], { timeoutMs: 5_000 })
 * ```
 */
export function joinSignals(
  signals: readonly (AbortSignal | undefined)[],
  { timeoutMs, timeoutReason = timeIsOver }: JoinOptions = {},
): JoinedSignal {
  const joined = new AbortController()
  const follow = (event: Event): void => joined.abort((event.target as AbortSignal).reason)
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => joined.abort(timeoutReason()), asTimerMs(timeoutMs))
  for (const signal of signals) {
    if (!signal) continue
    setMaxListeners(0, signal) // each is left again, so many at once are no leak, of which Node would warn
    signal.addEventListener('abort', follow, { once: true })
    if (signal.aborted) joined.abort(signal.reason)
  }
  return {
    signal: joined.signal,
    release: () => {
      clearTimeout(timer)
      for (const signal of signals) signal?.removeEventListener('abort', follow)
    },
  }
}

function timeIsOver(): DOMException {
  return new DOMException('The time is up.', 'TimeoutError')
}
