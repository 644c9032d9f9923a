import { ChannelError } from '../../errors.ts'

/** `queue-gone`: it was deleted, or never there. `queue-unreachable`: its node is down, or its process has crashed or does not answer. */
export type NotFound = 'queue-gone' | 'queue-unreachable' | 'something-else'

const notFound = 404

/**
 * What the broker did not find; undefined if the error is about something else. RabbitMQ says "not found" for a
 * deleted queue and for a queue that cannot be reached now; only the words differ.
 */
export function readNotFound(error: unknown): NotFound | undefined {
  if (!(error instanceof ChannelError) || error.replyCode !== notFound) return undefined
  const { replyText = '' } = error
  if (replyText.includes("no queue '")) return 'queue-gone'
  return replyText.includes("queue '") ? 'queue-unreachable' : 'something-else'
}
