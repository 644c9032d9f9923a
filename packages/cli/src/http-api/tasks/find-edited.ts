import { messageKey, RecoveryError } from 'warrenmq/operations'
import { lookInTime } from '../guards/look-in-time.ts'
import type { QueueTurns } from '../guards/queue-turns.ts'
import { trackedLook } from '../guards/tracked-look.ts'
import type { ServerBroker } from '../server-broker.ts'
import type { EditedMessage } from './count-interrupted.ts'

/** Where nobody can look at the queue, now or ever. */
const unseeable = ['RECOVERY_LOOK_REFUSED', 'RECOVERY_QUEUE_NOT_FOUND']

export interface EditedLook {
  readonly broker: Omit<ServerBroker, 'topology'>
  readonly turns: QueueTurns
  readonly lookTimeoutMs: number
}

/**
 * Looks whether a message that was to be edited is still in its queue, for as long as a look may take. Rejects where
 * others have the queue now, or the look has not begun in its time.
 */
export async function findEdited(
  { broker, turns, lookTimeoutMs: timeoutMs }: EditedLook,
  { queue, key }: { readonly queue: string; readonly key: string },
): Promise<EditedMessage> {
  let isThere = false
  const { look, soFar } = trackedLook({
    ...broker,
    queue,
    by: 'warren',
    onMessage: (message) => {
      isThere ||= messageKey(message) === key
    },
  })
  const looker = { name: 'warren', role: 'viewer' } as const
  try {
    const { isWhole } = await lookInTime(turns, { queue, looker, timeoutMs, soFar }, look)
    if (isThere) return 'there'
    return isWhole ? 'gone' : 'unknown'
  } catch (error) {
    if (error instanceof RecoveryError && unseeable.includes(error.code)) return 'unknown'
    throw error
  }
}
