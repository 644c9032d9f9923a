import type { FastifyReply } from 'fastify'
import { ApiError, type IncomingMessage, type LookReport, seenInPart } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { type LookLimits, lookInTime, type TimedLook } from '../guards/look-in-time.ts'
import { goneError, refuseWithoutBroker, refuseWithoutClient } from '../guards/refuse-without-broker.ts'
import { trackedLook } from '../guards/tracked-look.ts'
import { hasOwnNames } from '../show/name-messages.ts'

export interface DlqLook {
  readonly queue: string
  readonly caller: Caller
  /** Of whoever waits for it: the look ends when they go. */
  readonly reply: Pick<FastifyReply, 'raw'>
  /** @default all */
  readonly count?: number
  readonly onMessage: (message: IncomingMessage) => void
}

type LookContext = Pick<ApiContext, 'broker' | 'tasks' | 'turns' | 'settings'>

/** Shows messages and leaves them, when nobody else of this server has the queue. */
export async function lookAtDlq(
  context: LookContext,
  { queue, caller, reply, count, onMessage }: DlqLook,
): Promise<LookReport> {
  const { look, soFar } = trackedLook({
    ...context.broker,
    queue,
    by: caller.name,
    onMessage,
    ...(count !== undefined && { count }),
  })
  return lookInTurn(context, { queue, caller, reply, soFar }, look)
}

interface LookPlace<Report>
  extends Pick<DlqLook, 'queue' | 'caller' | 'reply'>,
    Pick<TimedLook<Report>, 'soFar'> {}

/** Does what looks at a queue when it is its turn, for as long as somebody waits for it and a look may take. */
export async function lookInTurn<Report>(
  { broker, tasks, turns, settings }: LookContext,
  { queue, caller, reply, soFar }: LookPlace<Report>,
  look: (limits: LookLimits) => Promise<Report>,
): Promise<Report> {
  refuseWithoutBroker(broker)
  tasks.refuseIfBusy(queue)
  refuseWithoutClient(reply)
  const gone = new AbortController()
  const leave = (): void => gone.abort(goneError())
  reply.raw.once('close', leave)
  const place = { queue, looker: caller, timeoutMs: settings.lookTimeoutMs, signal: gone.signal }
  try {
    const report = await lookInTime(turns, { ...place, ...(soFar && { soFar }) }, look)
    gone.signal.throwIfAborted() // nobody reads what would be made of it
    return report
  } finally {
    reply.raw.off('close', leave)
  }
}

/** What helps where messages of a queue cannot be held until all are seen. */
export const workOnSome = 'Try again, or work on some of its messages first.'

/** What `describe` makes of the message with this key; an error where it is not there. */
export async function findMessage<Description>(
  context: Pick<ApiContext, 'broker' | 'tasks' | 'turns' | 'nameMessage' | 'settings'>,
  place: Pick<DlqLook, 'queue' | 'caller' | 'reply'> & { readonly key: string },
  describe: (message: IncomingMessage) => Description,
): Promise<Description> {
  const { queue, key, caller, reply } = place
  let found: { readonly description: Description } | undefined
  const onMessage = (message: IncomingMessage): void => {
    if (!found && context.nameMessage(message, caller) === key) found = { description: describe(message) }
  }
  const { isWhole } = await lookAtDlq(context, { queue, caller, reply, onMessage })
  if (found) return found.description
  if (!isWhole)
    throw seenInPart({
      queue,
      unknown: `it is not known whether ${key} is among the others`,
      wayOut: workOnSome,
    })
  const orElse = hasOwnNames(context.settings, caller) ? ', or the key comes from another server' : ''
  throw new ApiError({
    code: 'API_NOT_FOUND',
    message: `The message ${key} is no longer in "${queue}"${orElse}. List its messages again.`,
  })
}
