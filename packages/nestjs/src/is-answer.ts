import { type HandlerAnswer, reject } from 'warrenmq'

/** The class is not exported, since only `retry()`, `reject()` and `defer()` make one. */
const Answer = reject('').constructor

/** Whether it says what becomes of a message: an answer of the library, or an HTTP status. */
export function isAnswer(value: unknown): value is HandlerAnswer {
  if (typeof value !== 'object' || value === null) return false
  const { status } = value as { readonly status?: unknown }
  return (
    value instanceof Answer || (Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 599)
  )
}
