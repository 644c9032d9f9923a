import { timeoutError } from './connection-errors.ts'
import type { Endpoint } from './parse-amqp-url.ts'

/** Aborts after the time or with the caller's signal; `cancel` leaves neither timer nor listener behind. */
export function timeoutSignal(
  timeoutMs: number,
  endpoint: Endpoint,
  callerSignal?: AbortSignal,
): { signal: AbortSignal; cancel: () => void } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(timeoutError(endpoint, timeoutMs)), timeoutMs)
  const follow = (): void => controller.abort(callerSignal?.reason)
  callerSignal?.addEventListener('abort', follow, { once: true })
  if (callerSignal?.aborted) follow()
  return {
    signal: controller.signal,
    cancel: () => {
      clearTimeout(timer)
      callerSignal?.removeEventListener('abort', follow)
    },
  }
}
