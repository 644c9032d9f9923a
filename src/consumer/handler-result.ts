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
      readonly error: string | undefined
    }
  /** It ended the process that handled it too often; it is not run again. */
  | { readonly kind: 'poisonous'; readonly deliveries: number }

/** Why an attempt failed, as it is written into headers, logs and events. */
export interface Failure {
  readonly errorType?: string | undefined
  readonly errorCode?: string | undefined
  readonly errorMessage?: string | undefined
  readonly stack?: string | undefined
  readonly statusCode?: number | undefined
}

/** Describes whatever was thrown. */
function describeFailure(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown) }
  const { code } = thrown as { code?: unknown }
  return {
    errorType: thrown.name,
    errorCode: typeof code === 'string' ? code : undefined,
    errorMessage: thrown.message,
    // Writing a stack out costs more than all else about a failure, and only a dead letter shows it.
    get stack() {
      return thrown.stack
    },
  }
}

/** Does the error say that it can never work? Any error may, by `isPermanent: true`. */
function isPermanentError(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown as { isPermanent?: unknown }).isPermanent === true
}

/** What a throw of the handler comes to. */
export function failedBy(thrown: unknown): HandlerResult {
  return { kind: 'failed', failure: describeFailure(thrown), isPermanent: isPermanentError(thrown) }
}
