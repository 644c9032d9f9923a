import type { HandlerAnswer } from './handler-answer.ts'
import type { StatusTable } from './http/status-tables.ts'
import type { ConsumedMessage } from './run/consumed-message.ts'

/**
 * The user's function. Returning nothing acknowledges; throwing retries, or parks if the error says `isPermanent`;
 * `retry()`, `reject()`, `defer()` and `{ status }` decide by the value it returns.
 */
export type Handler<Body = unknown> = (
  message: ConsumedMessage<Body>,
  context: HandlerContext,
) => HandlerReturn | PromiseLike<HandlerReturn>

/** What a handler may return: an answer, or nothing. Returning anything else is a mistake that TypeScript finds. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement has this type.
export type HandlerReturn = HandlerAnswer | void

/** What a handler gets besides the message. */
export interface HandlerContext {
  /** Aborted when the timeout passes, or when the consumer closes and cannot wait any longer. */
  readonly signal: AbortSignal
  /** Which try this is, from 1. */
  readonly attempt: number
  /** The last try: a message that fails it is parked. */
  readonly maxAttempts: number
  /** The queue, by its name on the broker. */
  readonly queue: string
  /**
   * For middleware that makes a message wait before its handler: the timeout counts from the call of the returned
   * function. That function returns false if the message has waited too long to have all of its time; it must then be
   * deferred.
   * @example
   * ```ts
   * const later: lib.Middleware = (next) => async (message, context) => {
   *   const starts = context.waits?.()
   *   await new Promise((resolve) => setTimeout(resolve, 100))
   *   return starts?.() === false ? defer(1_000) : next(message, context)
   * }
   * ```
   */
  waits?(): () => boolean
  /** What a `{ status }` means to this consumer. @default that of preset `warren` */
  readonly statusTable?: StatusTable
}

/** Wraps a handler in another one. The first of a list is the outermost. */
export type Middleware = (next: Handler) => Handler

export function wrapHandler(handler: Handler, middleware: readonly Middleware[]): Handler {
  return middleware.reduceRight<Handler>((wrapped, wrap) => wrap(wrapped), handler)
}
