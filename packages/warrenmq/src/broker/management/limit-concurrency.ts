/** Runs a task when it is its turn, and passes on what comes of it. */
export type RunLimited = <Result>(task: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>

/**
 * Lets at most `limit` tasks run at once; the others wait in order. A task that is aborted while it waits never starts.
 * @example
 * ```ts
 * const run = limitConcurrency(4)
 * await Promise.all(['orders', 'invoices'].map((name) => run(() => depthOf(session, name))))
 * ```
 */
export function limitConcurrency(limit: number): RunLimited {
  const waiting: (() => void)[] = []
  let running = 0

  async function enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    if (running < limit) {
      running++
      return
    }
    await waitForTurn(waiting, signal)
  }

  // The place is handed over, not freed, so that a newcomer cannot slip in between.
  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else running--
  }

  return async (task, signal) => {
    await enter(signal)
    try {
      return await task()
    } finally {
      leave()
    }
  }
}

function waitForTurn(waiting: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = () => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = () => {
      waiting.splice(waiting.indexOf(start), 1)
      reject(signal?.reason)
    }
    waiting.push(start)
    signal?.addEventListener('abort', giveUp, { once: true })
  })
}
