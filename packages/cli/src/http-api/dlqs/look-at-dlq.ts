import type { FastifyReply } from 'fastify'
import {
  ApiError,
  type IncomingMessage,
  joinSignals,
  type LookReport,
  longestTimerMs,
  lookAtQueue,
  seenInPart,
} from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { goneError, refuseWithoutBroker, refuseWithoutClient } from '../guards/refuse-without-broker.ts'
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

/** What ends a look in time. */
export interface LookLimits {
  readonly signal: AbortSignal
  /** Then what is held goes back at once. */
  readonly endAtMs: number
  readonly mostAheadMs: number
}

/** Shows messages and leaves them, when nobody else of this server has the queue. */
export async function lookAtDlq(
  context: LookContext,
  { queue, caller, reply, count, onMessage }: DlqLook,
): Promise<LookReport> {
  let present: number | undefined
  let seen = 0
  let isAnswered = false
  const look = (limits: LookLimits): Promise<LookReport> =>
    lookAtQueue({
      ...{ ...context.broker, queue, by: caller.name, ...limits },
      ...(count !== undefined && { count }),
      onPresent: (found) => {
        present = found
      },
      onMessage: (message) => {
        if (isAnswered) return
        seen += 1
        onMessage(message)
      },
    })
  const soFar = (): LookReport | undefined => {
    isAnswered = true
    return present === undefined ? undefined : { present, seen, refreshed: 0, isWhole: false }
  }
  return lookInTurn(context, { queue, caller, reply, soFar }, look)
}

/** So much of its time a look has for looking; the rest is for giving everything back in its order. */
const lookingShare = 0.8
/** What is sent ahead comes in so many steps at least, as many as RabbitMQ keeps the order of. */
const mostSteps = 25
const leastAheadMs = 1_000

interface LookPlace<Report> extends Pick<DlqLook, 'queue' | 'caller' | 'reply'> {
  /** What is known when the time is over; undefined: not enough for an answer. @default never enough */
  readonly soFar?: () => Report | undefined
}

/**
 * Does what looks at a queue when it is its turn, for as long as somebody waits for it and a look may take. Of a look
 * that ends before it has seen all, that is told. Who asked is answered in time, whatever the look still has to do.
 */
export async function lookInTurn<Report>(
  { broker, tasks, turns, settings }: LookContext,
  { queue, caller, reply, soFar = () => undefined }: LookPlace<Report>,
  look: (limits: LookLimits) => Promise<Report>,
): Promise<Report> {
  refuseWithoutBroker(broker)
  tasks.refuseIfBusy(queue)
  refuseWithoutClient(reply)
  const { lookTimeoutMs } = settings
  const endAtMs = performance.now() + lookTimeoutMs
  const gone = new AbortController()
  const leave = (): void => gone.abort(goneError())
  reply.raw.once('close', leave)
  const { signal, release } = joinSignals([gone.signal], {
    ...{ timeoutMs: lookTimeoutMs * lookingShare, timeoutReason: waitedTooLong },
  })
  const deadline = startDeadline(lookTimeoutMs, soFar)
  try {
    const mostAheadMs = Math.max(leastAheadMs, lookTimeoutMs / mostSteps)
    const looking = turns.look({ queue, looker: caller, signal }, () =>
      look({ signal, endAtMs, mostAheadMs }),
    )
    const report = await Promise.race([looking, deadline.whenOver])
    gone.signal.throwIfAborted() // nobody reads what would be made of it
    return report
  } finally {
    deadline.release()
    release()
    reply.raw.off('close', leave)
  }
}

/** Settles with what is known by then, or with the error of who has to come again. */
function startDeadline<Report>(
  timeoutMs: number,
  soFar: () => Report | undefined,
): { readonly whenOver: Promise<Report>; readonly release: () => void } {
  let timer: NodeJS.Timeout | undefined
  const whenOver = new Promise<Report>((resolve, reject) => {
    timer = setTimeout(
      () => {
        const known = soFar()
        if (known === undefined) reject(waitedTooLong())
        else resolve(known)
      },
      Math.min(timeoutMs, longestTimerMs),
    )
  })
  return { whenOver, release: () => clearTimeout(timer) }
}

function waitedTooLong(): ApiError {
  const message =
    'Too many requests are looking at messages, or one has been looking at this queue for a long time. Try again in a moment.'
  return new ApiError({ code: 'API_BUSY', message, retryAfterSeconds: 5 })
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
      unknown: `nobody knows whether ${key} is among the others`,
      wayOut: workOnSome,
    })
  const orElse = hasOwnNames(context.settings, caller) ? ', or the key comes from another server' : ''
  throw new ApiError({
    code: 'API_NOT_FOUND',
    message: `The message ${key} is no longer in "${queue}"${orElse}. List its messages again.`,
  })
}
