import { type HandlerAnswer, reject } from 'warrenmq'

/** The class is not exported, since only `retry()`, `reject()` and `defer()` make one. */
const Answer = reject('').constructor

/** Whether it says what becomes of a message: an answer of the library, or an HTTP status. */
export function isAnswer(value: unknown): value is HandlerAnswer {
  if (typeof value !== 'object' || value === null) return false
  const { status } = value as { readonly status?: unknown }
  return isMadeAnswer(value) || (Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 599)
}

/** Whether `retry()`, `reject()` or `defer()` made it. */
export function isMadeAnswer(value: unknown): boolean {
  return value instanceof Answer
}
