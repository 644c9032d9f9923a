import { setTimeout as sleep } from 'node:timers/promises'

const tickMs = 50

/**
 * Looks until it is so, for so much time of this process at most: while a whole campaign is stopped, or is not given a
 * processor, the time does not pass. Gives whether it came to be so.
 */
export async function turnsTrue(check: () => boolean | Promise<boolean>, mostMs: number): Promise<boolean> {
  for (let passedMs = 0; passedMs < mostMs; passedMs += tickMs) {
    if (await check()) return true
    await sleep(tickMs)
  }
  return check()
}
