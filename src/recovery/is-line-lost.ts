import { ChannelError, WarrenError } from '../errors.ts'

/** What a broker says on a channel whose queue has no leader just now, besides much else that time may mend. */
export const internalError = 541

/** Whether an error means that a connection, a channel or what is behind it is gone, so that another one may do. */
export function isLineLost(error: unknown): boolean {
  if (!(error instanceof WarrenError)) return false
  if (error instanceof ChannelError) {
    const { code, replyCode } = error
    if (code === 'CHANNEL_CLOSED' || code === 'CHANNEL_TIMEOUT' || replyCode === internalError) return true
    return isAckTimeout(error) || isQueueUnreachable(error)
  }
  return error.code.startsWith('CONNECTION_')
}

const notFound = 404

/**
 * Whether a queue is there and cannot be reached now: its node is down, its process has crashed or does not answer.
 * RabbitMQ says "not found" of it, as it does of one that was deleted, and tells them apart by words alone.
 */
export function isQueueUnreachable(error: unknown): boolean {
  if (!(error instanceof ChannelError) || error.replyCode !== notFound) return false
  const { replyText = '' } = error
  return replyText.includes("queue '") && !replyText.includes("no queue '")
}

const preconditionFailed = 406

/** Up to 4.2 the broker closes a channel whose messages were held for too long, and takes them back. */
function isAckTimeout({ replyCode, replyText }: ChannelError): boolean {
  return replyCode === preconditionFailed && replyText?.includes('timed out') === true
}
