import { lookAtQueue, RecoveryError } from 'warrenmq/operations'
import type { QueueTurns } from '../guards/queue-turns.ts'
import type { ServerBroker } from '../server-broker.ts'
import { keyOf } from '../show/describe-message.ts'
import type { EditedMessage } from './count-interrupted.ts'

/** Where nobody can look at the queue, now or ever. */
const unseeable = ['RECOVERY_LOOK_REFUSED', 'RECOVERY_QUEUE_NOT_FOUND']

/** Looks whether a message that was to be edited is still in its queue. Rejects where others have the queue now. */
export async function findEdited(
  { broker, turns }: { readonly broker: Omit<ServerBroker, 'topology'>; readonly turns: QueueTurns },
  { queue, key }: { readonly queue: string; readonly key: string },
): Promise<EditedMessage> {
  let isThere = false
  try {
    const { isWhole } = await turns.look({ queue, looker: { name: 'warren', role: 'viewer' } }, () =>
      lookAtQueue({
        ...{ ...broker, queue, by: 'warren' },
        onMessage: (message) => {
          isThere ||= keyOf(message) === key
        },
      }),
    )
    if (isThere) return 'there'
    return isWhole ? 'gone' : 'unknown'
  } catch (error) {
    if (error instanceof RecoveryError && unseeable.includes(error.code)) return 'unknown'
    throw error
  }
}
