import type { Clock } from '../../clock.ts'
import { ConsumerError } from '../../errors.ts'
import type { Handler, HandlerContext, HandlerReturn } from '../handler.ts'
import { defer } from '../handler-answer.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'
import { isError } from '../run/is-error.ts'
import type { BatchContext, BatchHandler } from './batch-handler.ts'

export interface BatchRules {
  readonly size: number
  readonly waitMs: number
  /** Batches that run at a time. */
  readonly concurrency: number
  readonly clock: Clock
}

export interface Gathering {
  /** Joins a batch, and answers with what the batch says of it. */
  readonly handler: Handler
  /** What waits is handled now: nothing will come that could fill its batch. */
  flush(): void
}

interface Waiting {
  readonly message: ConsumedMessage
  readonly context: HandlerContext
  readonly sinceMs: number
  /** Says false where its time would not be enough any more. */
  readonly begin: (() => boolean) | undefined
  readonly answer: (value: HandlerReturn) => void
  readonly fail: (error: unknown) => void
  readonly release: () => void
}

/**
 * Makes batches of messages whose handlers run, each for itself: so that each is admitted, timed, decided and settled like
 * any other, and a batch is only where their handlers meet.
 */
export function gatherBatches(handler: BatchHandler, rules: BatchRules): Gathering {
  const { size, waitMs, concurrency, clock } = rules
  const waiting: Waiting[] = []
  let running = 0
  let isFlushed = false
  let callOff: (() => void) | undefined

  function isDue(): boolean {
    const [first] = waiting
    if (first === undefined) return false
    return isFlushed || waiting.length >= size || clock.now() - first.sinceMs >= waitMs
  }

  function pump(): void {
    callOff?.()
    callOff = undefined
    while (running < concurrency && isDue()) start(waiting.splice(0, size))
    const [first] = waiting
    if (first && running < concurrency)
      callOff = clock.schedule(Math.max(0, first.sinceMs + waitMs - clock.now()), pump)
    if (!first) isFlushed = false
  }

  function start(taken: readonly Waiting[]): void {
    for (const { release } of taken) release()
    const batch = taken.filter((one) => {
      const isInTime = one.begin?.() !== false
      if (!isInTime) one.answer(defer(0)) // given back, so that it comes again with all of its time
      return isInTime
    })
    if (batch.length === 0) return
    running += 1
    void Promise.race([run(handler, batch), untilGivenUp(batch)]).then(() => {
      running -= 1
      pump()
    })
  }

  function join(message: ConsumedMessage, context: HandlerContext): Promise<HandlerReturn> {
    return new Promise((answer, fail) => {
      const leave = (): void => {
        waiting.splice(waiting.indexOf(one), 1)
        fail(context.signal.reason)
      }
      const release = (): void => context.signal.removeEventListener('abort', leave)
      const begin = context.waits?.()
      const one: Waiting = { message, context, sinceMs: clock.now(), begin, answer, fail, release }
      context.signal.addEventListener('abort', leave, { once: true })
      waiting.push(one)
      pump()
    })
  }

  return {
    handler: join,
    flush: () => {
      isFlushed = true
      pump()
    },
  }
}

async function run(handler: BatchHandler, batch: readonly Waiting[]): Promise<void> {
  try {
    const returned = await handler(
      batch.map(({ message }) => message),
      contextOf(batch),
    )
    if (!Array.isArray(returned)) for (const { answer } of batch) answer(returned as HandlerReturn)
    else {
      const answers = await Promise.allSettled<unknown>(returned) // an async function that maps the messages gives promises
      if (answers.length !== batch.length) throw wrongLength(answers.length, batch.length)
      for (const [at, one] of batch.entries()) give(one, answers[at]!)
    }
  } catch (error) {
    for (const { fail } of batch) fail(error)
  }
}

/** The time of each is over, or the consumer ends: what they came to is decided, and a handler that hangs blocks no others. */
async function untilGivenUp(batch: readonly Waiting[]): Promise<void> {
  await Promise.all(batch.map(({ context: { signal } }) => untilAborted(signal)))
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function give({ answer, fail }: Waiting, settled: PromiseSettledResult<unknown>): void {
  if (settled.status === 'rejected') fail(settled.reason)
  else if (isError(settled.value)) fail(settled.value)
  else answer(settled.value as HandlerReturn)
}

/** The first has waited longest, so its time is over first. Its signal is made when it is asked for. */
function contextOf(batch: readonly Waiting[]): BatchContext {
  const { context } = batch[0]!
  const { queue, maxAttempts } = context
  const attempts = batch.map((one) => one.context.attempt)
  return {
    queue,
    maxAttempts,
    attempts,
    get signal() {
      return context.signal
    },
  }
}

function wrongLength(answers: number, messages: number): ConsumerError {
  return new ConsumerError({
    code: 'HANDLER_ANSWER_WRONG',
    message: `The batch handler returned a list of ${answers} for ${messages} messages. Return nothing, or one answer for each.`,
  })
}
