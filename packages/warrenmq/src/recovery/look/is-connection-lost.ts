import { ChannelError, WarrenError } from '../../errors.ts'
import { readNotFound } from './read-not-found.ts'

/** What a broker says on a channel whose queue has no leader just now, besides much else that time may mend. */
export const internalError = 541

/** Whether an error means that a connection, a channel or what is behind it is gone, so that another one may do. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof WarrenError)) return false
  if (error instanceof ChannelError) {
    const { code, replyCode } = error
    if (code === 'CHANNEL_CLOSED' || code === 'CHANNEL_TIMEOUT' || replyCode === internalError) return true
    return isAckTimeout(error) || isQueueUnreachable(error)
  }
  return error.code.startsWith('CONNECTION_')
}

/** Whether a queue is there and cannot be reached now. */
export function isQueueUnreachable(error: unknown): boolean {
  return readNotFound(error) === 'queue-unreachable'
}

const preconditionFailed = 406

/** Up to 4.2 the broker closes a channel whose messages were held for too long, and takes them back. */
export function isAckTimeout(error: unknown): boolean {
  if (!(error instanceof ChannelError) || error.replyCode !== preconditionFailed) return false
  return error.replyText?.includes('timed out') === true
}
