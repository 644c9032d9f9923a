import { describeValue } from './describe-value.ts'
import { isError } from './is-error.ts'

/** What one run of a handler came to, before anything is decided. */
export type HandlerResult =
  | { readonly kind: 'handled' }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly isPermanent: boolean }
  | {
      readonly kind: 'retry-asked'
      readonly afterMs: number | undefined
      readonly reason: string | undefined
    }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'deferred'; readonly untilMs: number }
  | { readonly kind: 'deferred'; readonly forMs: number }
  | {
      readonly kind: 'status'
      readonly status: number
      readonly retryAfterMs: number | undefined
      /** A `Retry-After` header as it came, if there is no `retryAfterMs`. */
      readonly retryAfter?: string | undefined
      readonly error: string | undefined
    }
  /** It ended the process that handled it too often; it is not run again. */
  | { readonly kind: 'poisonous'; readonly runsAlone: number }

/** Why an attempt failed, as it is written into headers, logs and events. */
export interface Failure {
  /** The class of the error, such as `TimeoutError`. */
  readonly errorType?: string | undefined
  /** The `code` of the error, such as `ECONNREFUSED`. */
  readonly errorCode?: string | undefined
  /** The message of the error. */
  readonly errorMessage?: string | undefined
  /** Its stack trace. */
  readonly stack?: string | undefined
  /** The HTTP status, if the handler answered with one. */
  readonly statusCode?: number | undefined
}

/** Describes whatever was thrown. All that is said of it is text, because it is going to be encoded. */
function describeFailure(thrown: unknown): Failure {
  if (!isError(thrown)) return { errorType: typeof thrown, errorMessage: describeValue(thrown) }
  const { name, message, code } = thrown as { name: unknown; message: unknown; code?: unknown }
  return {
    errorType: textOf(name),
    errorCode: typeof code === 'string' ? code : undefined,
    errorMessage: textOf(message),
    // Writing a stack out costs more than all else about a failure, and only a dead letter shows it.
    get stack() {
      return readStack(thrown)
    },
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : describeValue(value)
}

/** A stack is made when it is read, by a function that anybody may have replaced. */
function readStack(thrown: Error): string | undefined {
  try {
    const stack: unknown = thrown.stack
    return typeof stack === 'string' ? stack : undefined
  } catch {
    return undefined
  }
}

/** Does the error say that it can never work? Any error may, by `isPermanent: true`. */
function isPermanentError(thrown: unknown): boolean {
  return isError(thrown) && (thrown as { isPermanent?: unknown }).isPermanent === true
}

/** What a throw of the handler comes to. */
export function failedBy(thrown: unknown): HandlerResult {
  try {
    return { kind: 'failed', failure: describeFailure(thrown), isPermanent: isPermanentError(thrown) }
  } catch {
    // A proxy or a getter that throws when you look at it. It failed anyway.
    const failure = { errorType: typeof thrown, errorMessage: describeValue(thrown) }
    return { kind: 'failed', failure, isPermanent: false }
  }
}
