import type { Session } from '../../broker/amqp/session.ts'
import { ownSleep } from '../../own-timer.ts'
import { isConnectionLost } from '../look/is-connection-lost.ts'
import { isQueueGone } from '../look/is-queue-gone.ts'
import { depthOf } from '../look/settled-depth.ts'
import type { RedriveLock } from './redrive-lock.ts'
import { unlessAway } from './unless-away.ts'

export interface AwaitedReturn {
  readonly session: Session
  readonly queue: string
  readonly lock: Pick<RedriveLock, 'returnsInMs'>
  readonly patience: AbortSignal
  readonly left: number
  readonly isStopped: () => boolean
}

const askEveryMs = 250

/** Until there is more in the queue than was left there, or nothing is to be expected any more. */
export async function awaitReturned(awaited: AwaitedReturn): Promise<void> {
  const { session, queue, lock, patience, left, isStopped } = awaited
  try {
    while (!isStopped() && lock.returnsInMs > 0) {
      const depth = await unlessAway(depthOf(session, queue), { session, patience })
      if (depth === 'away' || depth > left) break
      await ownSleep(Math.min(askEveryMs, lock.returnsInMs))
    }
  } catch (error) {
    if (!isConnectionLost(error) && !isQueueGone(error)) throw error // else the next pass notices
  }
}
