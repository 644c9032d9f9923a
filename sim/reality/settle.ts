import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for so long. A whole campaign may be stopped and continued: that is none of the time. */
export async function settle(ms: number): Promise<void> {
  await sleep(ms)
}

const tickMs = 50

/**
 * Looks until it is so, for so much time of this process at most: while it stands still, or is not given a processor,
 * the time does not pass. Gives whether it came to be so.
 */
export async function turnsTrue(check: () => boolean | Promise<boolean>, mostMs: number): Promise<boolean> {
  for (let passedMs = 0; passedMs < mostMs; passedMs += tickMs) {
    if (await check()) return true
    await sleep(tickMs)
  }
  return check()
}
