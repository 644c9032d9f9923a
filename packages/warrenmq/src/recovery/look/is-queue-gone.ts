import { RecoveryError } from '../../errors.ts'
import { readNotFound } from './read-not-found.ts'

/** Whether an error means that the queue is not there (any more); one on a node that is down is. */
export function isQueueGone(error: unknown): boolean {
  if (error instanceof RecoveryError) return error.code === 'RECOVERY_QUEUE_NOT_FOUND'
  return readNotFound(error) === 'queue-gone'
}
