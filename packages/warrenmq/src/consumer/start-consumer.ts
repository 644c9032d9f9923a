import { Consumer } from './consumer.ts'
import type { ConsumerParts } from './consumer-parts.ts'

/**
 * Begins to consume a queue and keeps at it through every loss of the connection, until it is closed.
 * @example
 * ```ts
 * const consumer = startConsumer({ ...broker, flow: compiled.flows[0]!, handler: save })
 * ```
 */
export function startConsumer(parts: ConsumerParts): Consumer {
  return new Consumer(parts)
}
