import { ConsumerError, InvalidArgumentError } from '../errors.ts'
import { type Duration, parseDuration } from '../message/duration.ts'
import { refuseUnknown } from '../message/refuse-unknown.ts'
import { describeValue } from './run/describe-value.ts'
import { failedBy, type HandlerResult } from './run/handler-result.ts'
import { isError } from './run/is-error.ts'

/** What a handler may return besides nothing. A returned error counts as thrown; anything else acknowledges. */
export type HandlerAnswer = Answer | StatusAnswer

/** An HTTP status: the consumer's status table says what it means. A `Response` of `fetch` is one, with its `Retry-After`. */
export interface StatusAnswer {
  /** 100 to 599; an object with another `status` is no answer, and acknowledges. */
  readonly status: number
  /** How long the other side asks you to wait, in milliseconds. Invalid values are ignored. */
  readonly retryAfterMs?: number | undefined
  /** What the other side said, for the dead letter. */
  readonly error?: string | undefined
}

/** Made by `retry`, `reject` and `defer`, and by nothing else. */
export class Answer {
  // A private field keeps the type apart from every other: with all members internal, anything would be an Answer.
  readonly #result: HandlerResult

  /** @internal */
  constructor(result: HandlerResult) {
    this.#result = result
  }

  /** @internal */
  get result(): HandlerResult {
    return this.#result
  }
}

/**
 * It failed, and may work later. `after` selects the nearest delay of the queue that is not shorter.
 * @example
 * ```ts
 * await warren.consume('orders', () => retry({ after: '5m', reason: 'the warehouse is closed' }))
 * ```
 */
export function retry(options: { readonly after?: Duration; readonly reason?: string } = {}): Answer {
  refuseUnknown('retry()', options, { after: true, reason: true })
  const afterMs = options.after === undefined ? undefined : parseDuration(options.after)
  const reason = options.reason === undefined ? undefined : textOf(options.reason)
  return new Answer({ kind: 'retry-asked', afterMs, reason })
}

/**
 * It can never work: the message is parked with this reason.
 * @example
 * ```ts
 * await warren.consume('orders', ({ body }) => (body === null ? reject('an empty order') : undefined))
 * ```
 */
export function reject(reason: string): Answer {
  return new Answer({ kind: 'rejected', reason: textOf(reason) })
}

/**
 * It is too early. This costs no attempt; the handler runs again at that time, or after that long. Throws if the time is
 * not valid, which is then a failure of the handler like any other.
 * @example
 * ```ts
 * await warren.consume('orders', () => defer('30s'))
 * ```
 */
export function defer(until: Date | Duration): Answer {
  if (!(until instanceof Date)) return new Answer({ kind: 'deferred', forMs: parseDuration(until) })
  const untilMs = until.getTime()
  if (!Number.isNaN(untilMs)) return new Answer({ kind: 'deferred', untilMs })
  throw new InvalidArgumentError(
    `defer() got an invalid date. Give it a valid Date, or a time such as '30s'.`,
  )
}

/** Not every caller has a compiler: people often pass an error instead of its message. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : describeValue(value)
}

/** What a handler's return value means. `failed`: it is no answer, and the handler's author meant something else. */
export function readAnswer(value: unknown): HandlerResult {
  if (typeof value === 'function') return readFunction(value)
  if (typeof value !== 'object' || value === null) return handled
  if (value instanceof Answer) return value.result
  if (isError(value)) return failedBy(value)
  if (isGenerator(value)) return failedBy(wrongAnswer(generatorReturned))
  if (!isStatusAnswer(value)) return handled
  const { status, error } = value
  return {
    kind: 'status',
    status,
    retryAfterMs: wholeMilliseconds(value.retryAfterMs),
    retryAfter: retryAfterOf(value),
    error: typeof error === 'string' ? error : undefined,
  }
}

/** `return retry` looks like an answer to the person who wrote it. */
function readFunction(value: unknown): HandlerResult {
  const name = Object.entries({ retry, reject, defer }).find(([, answer]) => answer === value)?.[0]
  if (name === undefined) return handled
  return failedBy(
    wrongAnswer(`The handler returned ${name} without calling it. Write \`return ${name}(…)\`.`),
  )
}

function isGenerator(value: object): boolean {
  return /^\[object (Async)?Generator\]$/.test(Object.prototype.toString.call(value))
}

const generatorReturned =
  'The handler is a generator function, so none of its code has run. Make it an ordinary or an async function.'

function wrongAnswer(message: string): ConsumerError {
  return new ConsumerError({ code: 'HANDLER_ANSWER_WRONG', message })
}

/** Rounded up, because a wish is never cut short. */
function wholeMilliseconds(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? Math.ceil(value) : undefined
}

/** As a `Response` has it. */
function retryAfterOf(value: object): string | undefined {
  const { headers } = value as { headers?: { get?: unknown } | null }
  if (typeof headers?.get !== 'function') return undefined
  const text: unknown = (headers as { get(name: string): unknown }).get('retry-after')
  return typeof text === 'string' ? text : undefined
}

const handled: HandlerResult = { kind: 'handled' }

function isStatusAnswer(value: object): value is StatusAnswer {
  const { status } = value as { status?: unknown }
  return typeof status === 'number' && Number.isInteger(status) && status >= 100 && status <= 599
}
