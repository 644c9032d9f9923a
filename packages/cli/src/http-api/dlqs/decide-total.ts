/** What RabbitMQ counted some seconds ago, at one moment. */
export interface CountedMessages {
  readonly ready: number | null
  readonly unacknowledged: number | null
}

/**
 * All messages of a queue. What is ready is known exactly, and is all as long as nothing holds any: a look hands
 * itself all of a queue within a moment, and the queue is no smaller for it.
 */
export function decideTotal(
  now: { readonly messageCount: number; readonly consumerCount: number } | null,
  counted: CountedMessages | undefined,
): number | null {
  if (!now) return null
  const { ready, unacknowledged } = counted ?? { ready: null, unacknowledged: null }
  const isHeld = now.consumerCount > 0 || (unacknowledged ?? 0) > 0
  if (!isHeld || ready === null || unacknowledged === null) return now.messageCount
  return Math.max(now.messageCount, ready + unacknowledged)
}
