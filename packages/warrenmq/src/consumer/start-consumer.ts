import { Consumer } from './consumer.ts'
import type { ConsumerParts } from './consumer-parts.ts'

/** Begins to consume a queue and keeps at it through every loss of the connection, until it is closed. */
export function startConsumer(parts: ConsumerParts): Consumer {
  return new Consumer(parts)
}
