import type { Handler, HandlerContext } from './handler.ts'
import { readAnswer } from './handler-answer.ts'
import { failedBy, type HandlerResult } from './handler-result.ts'
import { attemptOf, type Run } from './run.ts'
import type { StatusTable } from './status-tables.ts'

/**
 * Runs the handler once and gives its result, at once where the handler is done when it returns, else later. What
 * `run.give` brings may come first: a handler that hangs is then on its own, and what it comes to is nobody's
 * business any more.
 */
export function runHandler(
  run: Run,
  handler: Handler,
  context: HandlerContext,
  ended: (run: Run, result: HandlerResult) => void,
): void {
  const returned = call(run, handler, context)
  if (!isPromise(returned)) {
    ended(run, returned instanceof Thrown ? failedBy(returned.value) : readSafely(returned))
    return
  }
  // With callbacks and not with promises of our own: this is done for every message.
  const give = (result: HandlerResult): void => {
    if (run.give !== give) return
    run.give = undefined
    ended(run, result)
  }
  run.give = give
  returned.then(
    (value) => give(readSafely(value)),
    (thrown: unknown) => give(failedBy(thrown)),
  )
}

/** A throw as a value, so that what follows it is not done inside the `try`. */
class Thrown {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

function call({ message }: Run, handler: Handler, context: HandlerContext): unknown {
  try {
    const returned = handler(message, context)
    // A thenable of somebody else's may throw or answer twice; a promise is taken as it is.
    return isPromise(returned) ? Promise.resolve(returned) : returned
  } catch (thrown) {
    return new Thrown(thrown)
  }
}

/** What is returned may be anything, even an object that throws when it is looked at. */
function readSafely(value: unknown): HandlerResult {
  try {
    return readAnswer(value)
  } catch (thrown) {
    return failedBy(thrown)
  }
}

/** Ends a run from outside: the handler is told through its signal, and its message counts as failed. */
export function interruptRun(run: Run, reason: Error): void {
  run.abort ??= new AbortController()
  run.abort.abort(reason)
  run.give?.(failedBy(reason))
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}

interface RunSurroundings {
  readonly flow: { readonly maxAttempts: number; readonly queue: string }
  readonly statusTable: StatusTable
}

/** What a handler is told. The signal is made when it is asked for: most handlers never do. */
export class RunContext implements HandlerContext {
  readonly #run: Run
  declare readonly attempt: number
  declare readonly maxAttempts: number
  declare readonly queue: string
  declare readonly statusTable: StatusTable

  constructor(run: Run, { flow, statusTable }: RunSurroundings) {
    this.#run = run
    this.attempt = attemptOf(run)
    this.maxAttempts = flow.maxAttempts
    this.queue = flow.queue
    this.statusTable = statusTable
  }

  get signal(): AbortSignal {
    this.#run.abort ??= new AbortController()
    return this.#run.abort.signal
  }
}
