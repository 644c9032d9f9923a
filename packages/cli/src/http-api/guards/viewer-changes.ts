import { ApiError, type Clock, steadyClock } from 'warrenmq/operations'
import type { Caller } from '../auth/caller.ts'

/** What viewers ask to be changed, whether or not they may. */
export interface ViewerChanges {
  /** Counts one; throws where a viewer had as many as they may have in a minute. Others may have as many as they like. */
  count(caller: Pick<Caller, 'name' | 'wayIn' | 'role'>, mostPerMinute: number): void
}

const minuteMs = 60_000
/** Those who are back to nothing are forgotten when there are more. */
const mostKnown = 1_000

/**
 * What is changed or refused is written to streams that the broker keeps: the audit log, which has no limit, and the
 * notices of servers, where new ones push out old ones. Whoever may only read must not be able to fill them.
 */
export function createViewerChanges(clock: Clock = steadyClock): ViewerChanges {
  /** When all that a viewer asked for is a minute's share ago. */
  const paidAtMs = new Map<string, number>()

  function forgetPaid(nowMs: number): void {
    for (const [name, atMs] of paidAtMs) if (atMs <= nowMs) paidAtMs.delete(name)
  }

  return {
    count: ({ name, wayIn, role }, mostPerMinute) => {
      if (role !== 'viewer') return
      const nowMs = clock.now()
      if (paidAtMs.size >= mostKnown) forgetPaid(nowMs)
      const viewer = JSON.stringify([wayIn, name])
      const paidMs = Math.max(nowMs, paidAtMs.get(viewer) ?? 0) + minuteMs / mostPerMinute
      const waitMs = paidMs - nowMs - minuteMs
      if (waitMs > 0) throw tooMany(waitMs)
      paidAtMs.set(viewer, paidMs)
    },
  }
}

function tooMany(waitMs: number): ApiError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  const message = `You have asked for more changes than a viewer may in a minute. Try again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}.`
  return new ApiError({ code: 'API_TOO_MANY_ATTEMPTS', message, retryAfterSeconds })
}
