import { setTimeout, sleep } from './world.ts'

/*
 * Looks and re-drives ask again, pace themselves and watch for messages that die again. Their timers belong to no
 * handler, so the virtual clock of an embedded broker must not wait for them: what they wait for may need that clock.
 */

let isStarting = false

/** Tells whether the timer that is being started at this moment belongs to a look or a re-drive. */
export function isOwnTimer(): boolean {
  return isStarting
}

/** Calls back after a while, as `setTimeout` does. */
export function setOwnTimeout(call: () => void, ms: number): NodeJS.Timeout {
  return startOwn(() => setTimeout(call, ms))
}

/** Resolves after a while. */
export function ownSleep(ms: number): Promise<void> {
  return startOwn(() => sleep(ms))
}

function startOwn<Timer>(start: () => Timer): Timer {
  isStarting = true
  try {
    return start()
  } finally {
    isStarting = false
  }
}
