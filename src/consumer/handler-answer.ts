import { type Duration, parseDuration } from '../message/duration.ts'
import type { HandlerResult } from './handler-result.ts'

/** What a handler may return besides nothing. Anything else it returns acknowledges the message too. */
export type HandlerAnswer = Answer | StatusAnswer

/** An HTTP status: the consumer's status table says what it means. A `Response` of `fetch` is one. */
export interface StatusAnswer {
  /** 100 to 599; an object with another `status` is no answer, and acknowledges. */
  readonly status: number
  /** How long the other side asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** What the other side said, for the dead letter. */
  readonly error?: string | undefined
}

/** Made by `retry`, `reject` and `defer`, and by nothing else. */
export class Answer {
  readonly result: HandlerResult

  constructor(result: HandlerResult) {
    this.result = result
  }
}

/** It failed and may work later. `after` takes the nearest delay of the queue that is not below it. */
export function retry(options: { readonly after?: Duration; readonly reason?: string } = {}): Answer {
  const afterMs = options.after === undefined ? undefined : parseDuration(options.after)
  return new Answer({ kind: 'retry-asked', afterMs, reason: options.reason })
}

/** It can never work: the message is parked with this reason. */
export function reject(reason: string): Answer {
  return new Answer({ kind: 'rejected', reason })
}

/** It is too early. Costs no attempt; the handler is asked again at that time, or after that long. */
export function defer(until: Date | Duration): Answer {
  return new Answer(
    until instanceof Date
      ? { kind: 'deferred', untilMs: until.getTime() }
      : { kind: 'deferred', forMs: parseDuration(until) },
  )
}

/** What a handler's return value means. */
export function readAnswer(value: unknown): HandlerResult {
  if (typeof value !== 'object' || value === null) return handled
  if (value instanceof Answer) return value.result
  if (!isStatusAnswer(value)) return handled
  const { status, retryAfterMs, error } = value
  return { kind: 'status', status, retryAfterMs, error: typeof error === 'string' ? error : undefined }
}

const handled: HandlerResult = { kind: 'handled' }

function isStatusAnswer(value: object): value is StatusAnswer {
  const { status } = value as { status?: unknown }
  return typeof status === 'number' && Number.isInteger(status) && status >= 100 && status <= 599
}
