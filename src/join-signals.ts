/** One signal for several reasons to end. */
export interface JoinedSignal {
  readonly signal: AbortSignal
  /** Leaves neither timer nor listener behind. */
  release(): void
}

/** Node's timers ring at once when they are set for longer. */
const longestTimerMs = 2_147_483_647

/**
 * Aborts with the first of the signals, or after a time. Not `AbortSignal.any()`: on Node 20 nobody holds what it makes,
 * so the garbage collector may take it away with its time-out, and whoever listens waits for ever.
 */
export function joinSignals(
  signals: readonly (AbortSignal | undefined)[],
  { timeoutMs }: { readonly timeoutMs?: number } = {},
): JoinedSignal {
  const joined = new AbortController()
  const follow = (event: Event): void => joined.abort((event.target as AbortSignal).reason)
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(timeOut, Math.min(timeoutMs, longestTimerMs), joined)
  for (const signal of signals) {
    signal?.addEventListener('abort', follow, { once: true })
    if (signal?.aborted) joined.abort(signal.reason)
  }
  return {
    signal: joined.signal,
    release: () => {
      clearTimeout(timer)
      for (const signal of signals) signal?.removeEventListener('abort', follow)
    },
  }
}

function timeOut(joined: AbortController): void {
  joined.abort(new DOMException('The time is over.', 'TimeoutError'))
}
