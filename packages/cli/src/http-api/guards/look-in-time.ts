import { ApiError, joinSignals, longestTimerMs } from 'warrenmq/operations'
import type { Looker } from './queue-turn.ts'
import type { QueueTurns } from './queue-turns.ts'

/** What ends a look in time. */
export interface LookLimits {
  readonly signal: AbortSignal
  /** Then what is held goes back at once. */
  readonly endAtMs: number
  readonly mostAheadMs: number
}

export interface TimedLook<Report> {
  readonly queue: string
  readonly looker: Looker
  /** With the wait for its turn. */
  readonly timeoutMs: number
  /** Of whoever waits for it: the look ends when they go. */
  readonly signal?: AbortSignal | undefined
  /** What is known when the time is over; undefined: not enough for an answer. @default never enough */
  readonly soFar?: () => Report | undefined
}

/** So much of its time a look has for looking; the rest is for giving everything back in its order. */
export const lookingShare = 0.8
/** What is sent ahead comes in so many steps at least, as many as RabbitMQ keeps the order of. */
const mostSteps = 25
const leastAheadMs = 1_000

/** In which time should come what the broker sends ahead, of a look that may take this long. */
export function mostAheadMsOf(timeoutMs: number): number {
  return Math.max(leastAheadMs, timeoutMs / mostSteps)
}

/**
 * Does what looks at a queue when it is its turn, for as long as a look may take. Of a look that ends before it has seen
 * all, that is told. Who asked is answered in time, whatever the look still has to do.
 */
export async function lookInTime<Report>(
  turns: QueueTurns,
  { queue, looker, timeoutMs, signal: asked, soFar = () => undefined }: TimedLook<Report>,
  look: (limits: LookLimits) => Promise<Report>,
): Promise<Report> {
  const endAtMs = performance.now() + timeoutMs
  const mostAheadMs = mostAheadMsOf(timeoutMs)
  const { signal, release } = joinSignals([asked], {
    timeoutMs: timeoutMs * lookingShare,
    timeoutReason: waitedTooLong,
  })
  const deadline = startDeadline(timeoutMs, soFar)
  try {
    const looking = turns.look({ queue, looker, signal }, () => look({ signal, endAtMs, mostAheadMs }))
    return await Promise.race([looking, deadline.whenOver])
  } finally {
    deadline.release()
    release()
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

export function waitedTooLong(): ApiError {
  const message =
    'Too many requests are looking at messages, or one has been looking at this queue for a long time. Try again in a moment.'
  return new ApiError({ code: 'API_BUSY', message, retryAfterSeconds: 5 })
}
