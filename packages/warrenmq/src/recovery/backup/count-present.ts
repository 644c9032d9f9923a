import { joinBody } from '../../broker/amqp/message.ts'
import { RecoveryError } from '../../errors.ts'
import { sureDepth } from '../look/confirm-depth.ts'
import { type HoldTask, holdMessages } from '../look/hold-messages.ts'
import { seenInPart } from '../look/seen-in-part.ts'
import { identifyMessage } from './identify-message.ts'

/** How often each message is in a queue, by what it is (`identifyMessage`). */
export async function countPresent(
  options: Omit<HoldTask, 'purpose' | 'onMessage'>,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  const { signal: _, ...task } = options
  if ((await sureDepth(task)) === 0) return ids
  const { isWhole } = await holdMessages({
    purpose: 'a restore',
    isLocked: true,
    ...task,
    onMessage: ({ properties, body }) => {
      const id = identifyMessage({ properties, body: joinBody(body) })
      ids.set(id, (ids.get(id) ?? 0) + 1)
      return undefined
    },
  }).catch((error: unknown) => {
    throw isHeldTooLong(error) ? restoresNothing(options.queue, { cause: error }) : error
  })
  if (!isWhole) throw restoresNothing(options.queue)
  return ids
}

function isHeldTooLong(error: unknown): boolean {
  return error instanceof RecoveryError && error.code === 'RECOVERY_HELD_TOO_LONG'
}

/** What was not seen would be put there twice. */
function restoresNothing(queue: string, options?: ErrorOptions): RecoveryError {
  const unknown = 'it is not known which records are already there, and nothing was restored'
  const wayOut = 'Restore into an empty queue (--to), or work on some of its messages first.'
  return seenInPart({ queue, unknown, wayOut }, options)
}
