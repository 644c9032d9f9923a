import type { IncomingMessage } from '../broker/amqp/message.ts'
import { ApiError } from '../errors.ts'
import { type LookReport, lookAtQueue } from '../recovery/look-at-queue.ts'
import { seenInPart } from '../recovery/seen-in-part.ts'
import type { ApiContext } from './api-context.ts'
import type { Caller } from './auth/caller.ts'
import { hasOwnNames } from './name-messages.ts'
import { refuseWithoutBroker } from './refuse-in-vain.ts'

export interface DlqLook {
  readonly queue: string
  readonly caller: Caller
  /** @default all */
  readonly count?: number
  readonly onMessage: (message: IncomingMessage) => void
}

/** Shows messages and leaves them, when nobody else of this server has the queue. */
export async function lookAtDlq(
  { line, tasks, turns }: Pick<ApiContext, 'line' | 'tasks' | 'turns'>,
  { queue, caller, count, onMessage }: DlqLook,
): Promise<LookReport> {
  refuseWithoutBroker(line)
  tasks.refuseIfBusy(queue)
  return turns.look(queue, () =>
    lookAtQueue({ ...line, queue, by: caller.name, ...(count !== undefined && { count }), onMessage }),
  )
}

/** What helps where messages of a queue cannot be held until all are seen. */
export const workOnSome = 'Try again, or work on some of its messages first.'

/** What `describe` makes of the message with this key; an error where it is not there. */
export async function findMessage<Description>(
  context: Pick<ApiContext, 'line' | 'tasks' | 'turns' | 'nameMessage' | 'settings'>,
  place: { readonly queue: string; readonly key: string; readonly caller: Caller },
  describe: (message: IncomingMessage) => Description,
): Promise<Description> {
  const { queue, key, caller } = place
  let found: { readonly description: Description } | undefined
  const onMessage = (message: IncomingMessage): void => {
    if (!found && context.nameMessage(message) === key) found = { description: describe(message) }
  }
  const { isWhole } = await lookAtDlq(context, { queue, caller, onMessage })
  if (found) return found.description
  if (!isWhole)
    throw seenInPart({
      queue,
      unknown: `nobody knows whether ${key} is among the others`,
      wayOut: workOnSome,
    })
  const orElse = hasOwnNames(context.settings) ? ', or the key is of another server' : ''
  throw new ApiError({
    code: 'API_NOT_FOUND',
    message: `The message ${key} is not in "${queue}" any more${orElse}. List its messages again.`,
  })
}
