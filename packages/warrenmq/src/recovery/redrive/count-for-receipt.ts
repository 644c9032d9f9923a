import type { Session } from '../../broker/amqp/session.ts'
import { RecoveryError } from '../../errors.ts'
import { ownSleep } from '../../own-timer.ts'
import type { Publisher } from '../../publisher/publisher.ts'
import { confirmDepth } from '../look/confirm-depth.ts'
import { isConnectionLost, isQueueUnreachable } from '../look/is-connection-lost.ts'
import { isQueueGone } from '../look/is-queue-gone.ts'
import type { LookRules } from '../look/prepare-look.ts'
import { countConsumers, settledDepth } from '../look/settled-depth.ts'
import type { EndCount } from './redrive-event.ts'
import type { RedriveLock } from './redrive-lock.ts'
import { unlessAway } from './unless-away.ts'

export interface CountTask {
  readonly session: Session
  readonly publisher: Publisher
  readonly queue: string
  readonly look: LookRules
  readonly lock: RedriveLock
  readonly patience: AbortSignal
  /** False: somebody else has the queue, or it was waited for too long already. */
  readonly isOurs: boolean
  /** The queue holds at least this many, unless others take some. */
  readonly atLeast: number
  /** It was told to stop, or ends early: nobody waits for a node any longer. */
  readonly isOver: () => boolean
  /** A count failed, and is tried again. */
  readonly onLost: () => void
}

const retryMs = 250
/** A run that has lost patience tries this often to count on a connection that breaks. */
const mostLateTries = 4

/** Counts before anybody says "done": an ack can be lost behind the close of its channel, or with a node. */
export async function countForReceipt(task: CountTask): Promise<EndCount> {
  const { session, lock, patience, isOurs } = task
  for (let lateTries = 0; ; await ownSleep(retryMs)) {
    try {
      const hold = isOurs ? await lock.isSure() : 'locked'
      if (hold === 'away') return { kind: 'uncounted' }
      const count = await unlessAway(countOnce(task), { session, patience })
      return count === 'away' ? { kind: 'uncounted' } : { ...count, isLocked: isOurs && hold === 'locked' }
    } catch (error) {
      if (isQueueGone(error)) return { kind: 'gone' }
      const isUnled = error instanceof RecoveryError && error.code === 'RECOVERY_NO_LEADER'
      if (!isConnectionLost(error) && !isUnled) throw error
      if (patience.aborted) lateTries += 1
      const isDown = isUnled || isQueueUnreachable(error)
      // No other connection follows a session that is closed.
      if (session.state === 'closed' || (isDown && task.isOver()) || lateTries >= mostLateTries)
        return { kind: 'uncounted' }
      task.onLost()
    }
  }
}

async function countOnce(task: CountTask): Promise<Omit<Extract<EndCount, { kind: 'counted' }>, 'isLocked'>> {
  const { session, queue, look, lock } = task
  await ownSleep(lock.returnsInMs)
  const depth = await sureSettledDepth(task)
  const otherConsumers = await countConsumers(session, queue)
  return {
    kind: 'counted',
    depth,
    otherConsumers,
    inOverLimitQueue: look.overLimitQueue.count,
    isAllBack: true,
  }
}

async function sureSettledDepth(task: CountTask): Promise<number> {
  const { session, queue, publisher, look: rules, atLeast, patience: signal } = task
  for (;;) {
    const depth = await settledDepth(session, queue, { atLeast })
    if (depth > 0 || (await confirmDepth({ session, publisher, queue, rules, signal })) === 0) return depth
  }
}
