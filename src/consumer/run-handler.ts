import type { Handler, HandlerContext } from './handler.ts'
import { readAnswer } from './handler-answer.ts'
import { describeFailure, type HandlerResult, isPermanentError } from './handler-result.ts'
import type { Run } from './run.ts'

/**
 * Runs the handler once. Gives its result, or the one that `run.give` brings first: a handler that hangs is
 * then on its own, and what it comes to later is nobody's business any more.
 */
export function runHandler(run: Run, handler: Handler, facts: RunFacts): Promise<HandlerResult> {
  return new Promise((resolve) => {
    run.give = resolve
    try {
      const returned = handler(run.message, new RunContext(run, facts))
      if (isPromise(returned)) {
        returned.then(
          (value) => resolve(readAnswer(value)),
          (thrown: unknown) => resolve(failedBy(thrown)),
        )
      } else resolve(readAnswer(returned))
    } catch (thrown) {
      resolve(failedBy(thrown))
    }
  })
}

/** Ends a run from outside: the handler is told through its signal, and its message counts as failed. */
export function interruptRun(run: Run, reason: Error): void {
  run.abort ??= new AbortController()
  run.abort.abort(reason)
  run.give?.(failedBy(reason))
}

export interface RunFacts {
  readonly attempt: number
  readonly maxAttempts: number
  readonly queue: string
}

export function failedBy(thrown: unknown): HandlerResult {
  return { kind: 'failed', failure: describeFailure(thrown), isPermanent: isPermanentError(thrown) }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}

/** The signal is made when it is asked for: most handlers never do. */
class RunContext implements HandlerContext {
  readonly #run: Run
  readonly attempt: number
  readonly maxAttempts: number
  readonly queue: string

  constructor(run: Run, { attempt, maxAttempts, queue }: RunFacts) {
    this.#run = run
    this.attempt = attempt
    this.maxAttempts = maxAttempts
    this.queue = queue
  }

  get signal(): AbortSignal {
    this.#run.abort ??= new AbortController()
    return this.#run.abort.signal
  }
}
