import type { FastifyReply } from 'fastify'
import type { IncomingMessage } from '../broker/amqp/message.ts'
import { ApiError } from '../errors.ts'
import { joinSignals } from '../join-signals.ts'
import { type LookReport, lookAtQueue } from '../recovery/look-at-queue.ts'
import { seenInPart } from '../recovery/seen-in-part.ts'
import type { ApiContext } from './api-context.ts'
import type { Caller } from './auth/caller.ts'
import { hasOwnNames } from './name-messages.ts'
import { goneError, refuseWithoutBroker, refuseWithoutClient } from './refuse-in-vain.ts'

export interface DlqLook {
  readonly queue: string
  readonly caller: Caller
  /** Of whoever waits for it: the look ends when they go. */
  readonly reply: Pick<FastifyReply, 'raw'>
  /** @default all */
  readonly count?: number
  readonly onMessage: (message: IncomingMessage) => void
}

type LookContext = Pick<ApiContext, 'line' | 'tasks' | 'turns' | 'settings'>

/** Shows messages and leaves them, when nobody else of this server has the queue. */
export async function lookAtDlq(
  context: LookContext,
  { queue, caller, reply, count, onMessage }: DlqLook,
): Promise<LookReport> {
  return lookInTurn(context, { queue, caller, reply }, (signal) =>
    lookAtQueue({
      ...{ ...context.line, queue, by: caller.name, onMessage, signal },
      ...(count !== undefined && { count }),
    }),
  )
}

/**
 * Does what looks at a queue when it is its turn, for as long as somebody waits for it and a look may take. Of a look
 * that ends before it has seen all, that is told.
 */
export async function lookInTurn<Report>(
  { line, tasks, turns, settings }: LookContext,
  { queue, caller, reply }: Pick<DlqLook, 'queue' | 'caller' | 'reply'>,
  look: (signal: AbortSignal) => Promise<Report>,
): Promise<Report> {
  refuseWithoutBroker(line)
  tasks.refuseIfBusy(queue)
  refuseWithoutClient(reply)
  const gone = new AbortController()
  const leave = (): void => gone.abort(goneError())
  reply.raw.once('close', leave)
  const { signal, release } = joinSignals([gone.signal], {
    ...{ timeoutMs: settings.lookTimeoutMs, timeoutReason: waitedTooLong },
  })
  try {
    const looking = turns.look({ queue, looker: caller, signal }, () => look(signal))
    const report = await Promise.race([looking, windingDown(signal)])
    gone.signal.throwIfAborted() // nobody reads what would be made of it
    return report
  } finally {
    release()
    reply.raw.off('close', leave)
  }
}

/** What was sent ahead has to come before a look can end in order, and a slow broker takes its time with that. */
const mostWindingDownMs = 30_000

/** Rejects where a look that was told to end does not. It keeps its turn; who asked is not kept. */
function windingDown(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const wait = (): void => void setTimeout(() => reject(waitedTooLong()), mostWindingDownMs).unref()
    signal.addEventListener('abort', wait, { once: true })
  })
}

function waitedTooLong(): ApiError {
  const message = 'Too many look at messages now, or somebody at this queue for long. Try again in a moment.'
  return new ApiError({ code: 'API_BUSY', message, retryAfterSeconds: 5 })
}

/** What helps where messages of a queue cannot be held until all are seen. */
export const workOnSome = 'Try again, or work on some of its messages first.'

/** What `describe` makes of the message with this key; an error where it is not there. */
export async function findMessage<Description>(
  context: Pick<ApiContext, 'line' | 'tasks' | 'turns' | 'nameMessage' | 'settings'>,
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
      unknown: `nobody knows whether ${key} is among the others`,
      wayOut: workOnSome,
    })
  const orElse = hasOwnNames(context.settings, caller) ? ', or the key is of another server' : ''
  throw new ApiError({
    code: 'API_NOT_FOUND',
    message: `The message ${key} is not in "${queue}" any more${orElse}. List its messages again.`,
  })
}
