import { setTimeout as sleep } from 'node:timers/promises'

export interface EventuallyOptions {
  /** Long, since a busy disk may keep a quorum queue waiting for its write. @default 60000 */
  readonly timeoutMs?: number
  /** @default 50 */
  readonly intervalMs?: number
  /** What is waited for, for the message when it never came. */
  readonly what?: string
  readonly signal?: AbortSignal
}

/**
 * Calls `check` until it neither throws nor gives `false`, and gives its value. When the time is up it
 * throws an error that carries the last failure, so the reader sees how far the check came.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<Exclude<T, false>> {
  const { timeoutMs = 60_000, intervalMs = 50, what = 'the condition', signal } = options
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const round = await tryOnce(check)
    if (round.isDone) return round.value
    if (performance.now() >= deadline) throw ranOutOfTime({ what, timeoutMs, reason: round.reason })
    await sleep(intervalMs, undefined, signal && { signal })
  }
}

type Round<T> = { isDone: true; value: Exclude<T, false> } | { isDone: false; reason: unknown }

async function tryOnce<T>(check: () => T | Promise<T>): Promise<Round<T>> {
  try {
    const value = await check()
    if (value === false) return { isDone: false, reason: 'the check gave false' }
    return { isDone: true, value: value as Exclude<T, false> }
  } catch (reason) {
    return { isDone: false, reason }
  }
}

function ranOutOfTime(fields: { what: string; timeoutMs: number; reason: unknown }): Error {
  const { what, timeoutMs, reason } = fields
  const last = reason instanceof Error ? reason.message : String(reason)
  return new Error(`Waited ${timeoutMs} ms for ${what}. The last try ended with: ${last}`, { cause: reason })
}
