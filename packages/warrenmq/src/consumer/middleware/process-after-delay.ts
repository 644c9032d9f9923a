import { InvalidArgumentError } from '../../errors.ts'
import { refuseUnknown } from '../../message/refuse-unknown.ts'
import { dateNow } from '../../world.ts'
import type { Middleware } from '../handler.ts'
import { defer } from '../handler-answer.ts'
import { describeValue } from '../run/describe-value.ts'

/**
 * Keeps messages from their handler until `processAfterDelayMs` (a header, in milliseconds) have passed since
 * their timestamp. A message without the header or without a timestamp is handled immediately.
 * @example
 * ```ts
 * await warren.consume('orders', save, { middleware: [processAfterDelay()] })
 * ```
 */
export function processAfterDelay(
  options: { readonly header?: string; readonly now?: () => number } = {},
): Middleware {
  refuseUnknown('processAfterDelay()', options, { header: true, now: true })
  const { header = 'processAfterDelayMs', now = dateNow } = options
  return (next) => (message, context) => {
    const dueMs = (message.timestamp?.getTime() ?? Number.NaN) + Number(message.headers[header])
    if (!(dueMs > now())) return next(message, context)
    const due = new Date(Math.ceil(dueMs))
    if (Number.isNaN(due.getTime())) throw notInTime(header, message.headers[header])
    return defer(due)
  }
}

function notInTime(header: string, value: unknown): InvalidArgumentError {
  return new InvalidArgumentError(
    `The header "${header}" says ${describeValue(value)}: no date is that many milliseconds in the future.`,
  )
}
