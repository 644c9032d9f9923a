import { ChannelError, RecoveryError } from '../errors.ts'

const notFound = 404

/** Whether an error means that the queue is not there (any more); one on a node that is down is. */
export function isQueueGone(error: unknown): boolean {
  if (error instanceof RecoveryError) return error.code === 'RECOVERY_QUEUE_NOT_FOUND'
  if (!(error instanceof ChannelError) || error.replyCode !== notFound) return false
  return error.replyText?.includes("no queue '") === true
}
