import { type InspectOptions, inspect } from 'node:util'
import { escapeLine } from '../../message/escape-text.ts'
import type { Handler, HandlerContext } from '../handler.ts'
import { readAnswer } from '../handler-answer.ts'
import type { StatusTable } from '../http/status-tables.ts'
import { failedBy, type HandlerResult } from './handler-result.ts'
import { attemptOf, type Run } from './run.ts'

/**
 * Runs the handler once and gives its result: immediately if the handler is done when it returns, else later.
 * `run.give` may bring a result first: a handler that hangs is then on its own, and its result no longer matters.
 */
export function runHandler(
  run: Run,
  handler: Handler,
  context: HandlerContext,
  ended: (run: Run, result: HandlerResult) => void,
): void {
  const returned = call(run, handler, context)
  if (!isPromise(returned)) {
    ended(run, returned instanceof Thrown ? failedBy(returned.value) : read(returned, handler, context))
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
    (value) => give(read(value, handler, context)),
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

function read(value: unknown, handler: Handler, { queue }: HandlerContext): HandlerResult {
  if (value === undefined) return handled
  const result = readSafely(value)
  if (result.kind === 'failed') warnOf(result, handler, queue)
  return result
}

const handled: HandlerResult = { kind: 'handled' }
const warnedOf = new WeakSet<Handler>()

/** Once for each consumer: a handler that returns an error thinks that it is dealt with. */
function warnOf({ failure }: HandlerResult & { kind: 'failed' }, handler: Handler, queue: string): void {
  if (warnedOf.has(handler)) return
  warnedOf.add(handler)
  const message =
    `A message of "${queue}" counts as failed because of what its handler returned: ${asSentence(failure.errorMessage)} ` +
    'Return nothing, retry(), reject(), defer() or { status }, and throw errors instead of returning them.'
  process.emitWarning(escapeLine(message), { code: 'WARREN_WRONG_ANSWER' })
}

/** The words of an error mostly end without a full stop, and another sentence follows. */
function asSentence(words = ''): string {
  return /[.!?…]$/.test(words) ? words : `${words}.`
}

/** What is returned may be anything, even an object that throws when it is looked at. */
function readSafely(value: unknown): HandlerResult {
  try {
    return readAnswer(value)
  } catch (thrown) {
    return failedBy(thrown)
  }
}

/**
 * Ends a run from outside: the handler learns it from its signal, and its message counts as failed. A message that
 * still waits for its handler to start does not, because no handler saw it.
 */
export function interruptRun(run: Run, reason: Error): void {
  const result = run.startedAtMs === undefined ? ({ kind: 'deferred', forMs: 0 } as const) : failedBy(reason)
  run.abort ??= new AbortController()
  run.abort.abort(reason)
  run.give?.(result)
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  if (value === undefined || value === null) return false
  // A function too: query builders can be called to continue, and awaited to run.
  if (typeof value !== 'object' && typeof value !== 'function') return false
  return typeof (value as { then?: unknown }).then === 'function'
}

/** What a handler can know about where it runs. */
export interface RunSurroundings {
  readonly flow: { readonly maxAttempts: number; readonly queue: string }
  readonly statusTable: StatusTable
  /** The handler of this run starts only now. False if it would no longer have its time. */
  readonly beginsNow: (run: Run) => boolean
}

/** What a handler gets. The signal is made on demand, because most handlers never use it. */
class RunContext implements HandlerContext {
  readonly #run: Run
  readonly #beginsNow: RunSurroundings['beginsNow']
  declare readonly attempt: number
  declare readonly maxAttempts: number
  declare readonly queue: string
  declare readonly statusTable: StatusTable

  constructor(run: Run, { flow, statusTable, beginsNow }: RunSurroundings) {
    this.#run = run
    this.#beginsNow = beginsNow
    this.attempt = attemptOf(run)
    this.maxAttempts = flow.maxAttempts
    this.queue = flow.queue
    this.statusTable = statusTable
  }

  get waits(): () => () => boolean {
    const run = this.#run
    const beginsNow = this.#beginsNow
    return () => {
      run.startedAtMs = undefined
      return () => beginsNow(run)
    }
  }

  get signal(): AbortSignal {
    this.#run.abort ??= new AbortController()
    return this.#run.abort.signal
  }

  /** What `JSON.stringify(context)` writes: no table, and no signal that nobody asked for. */
  get toJSON(): () => object {
    const { queue, attempt, maxAttempts } = this
    const isAborted = this.#run.abort?.signal.aborted ?? false
    // A function that needs no `this`: JSON calls it on the proxy, which has no private fields.
    return () => ({ queue, attempt, maxAttempts, isAborted })
  }
}

// What console.log(context) shows.
Object.defineProperty(RunContext.prototype, inspect.custom, {
  value(this: RunContext, _depth: number, options: InspectOptions): string {
    return `HandlerContext ${inspect(this.toJSON(), options)}`
  },
})

/**
 * The context as a handler gets it: `{ ...context }` has the signal too. A property of its own for each message would
 * cost more than the handler of many; a proxy is not felt.
 */
export function createContext(run: Run, surroundings: RunSurroundings): HandlerContext {
  return new Proxy(new RunContext(run, surroundings), withOnDemand)
}

const onDemand = ['signal', 'waits'] as const

/** Made on demand, and there for code that copies the context. */
const withOnDemand: ProxyHandler<RunContext> = {
  get: (context, name) => Reflect.get(context, name, context),
  has: (context, name) => Reflect.has(context, name),
  ownKeys: (context) => [...Reflect.ownKeys(context), ...onDemand],
  getOwnPropertyDescriptor: (context, name) =>
    name === 'signal' || name === 'waits'
      ? { value: context[name], enumerable: true, configurable: true, writable: false }
      : Reflect.getOwnPropertyDescriptor(context, name),
}
