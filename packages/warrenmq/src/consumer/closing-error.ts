import { ConsumerError } from '../errors.ts'

/** Why the signal of a handler is aborted that has not ended by the deadline of a close. */
export function closingError(queue: string): ConsumerError {
  return new ConsumerError({
    code: 'CONSUMER_CLOSING',
    message: `The consumer of "${queue}" is closing and no longer waits for the handler; the message goes back to its queue.`,
  })
}
