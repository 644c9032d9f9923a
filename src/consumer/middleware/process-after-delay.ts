import type { Middleware } from '../handler.ts'
import { defer } from '../handler-answer.ts'

/**
 * Keeps messages from their handler until `processAfterDelayMs` (a header, in milliseconds) have passed since
 * their timestamp. One without the header or without a timestamp is handled at once.
 */
export function processAfterDelay({
  header = 'processAfterDelayMs',
  now = Date.now,
}: {
  readonly header?: string
  readonly now?: () => number
} = {}): Middleware {
  return (next) => (message, context) => {
    const dueMs = (message.timestamp?.getTime() ?? Number.NaN) + Number(message.headers[header])
    return dueMs > now() ? defer(new Date(dueMs)) : next(message, context)
  }
}
