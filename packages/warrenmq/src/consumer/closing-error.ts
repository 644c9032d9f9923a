import { ConsumerError } from '../errors.ts'

/** Why the signal of a handler is aborted that has not ended by the deadline of a close. */
export function closingError(queue: string): ConsumerError {
  return new ConsumerError({
    code: 'CONSUMER_CLOSING',
    message: `The consumer of "${queue}" closes and waits no longer; the message goes back to its queue.`,
  })
}
