import { type JoinedSignal, joinSignals } from '../../join-signals.ts'
import { timeoutError } from './closed-error.ts'
import type { Endpoint } from './parse-amqp-url.ts'

/** Aborts after the time, with an error that names the endpoint, or with the caller's signal. */
export function timeoutSignal(
  timeoutMs: number,
  endpoint: Endpoint,
  callerSignal?: AbortSignal,
): JoinedSignal {
  return joinSignals([callerSignal], { timeoutMs, timeoutReason: () => timeoutError(endpoint, timeoutMs) })
}
