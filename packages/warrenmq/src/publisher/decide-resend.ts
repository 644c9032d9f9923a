import { ChannelError, ConnectionError, type WarrenError } from '../errors.ts'
import { namesExchange } from './names-exchange.ts'
import type { EncodedMessage } from './outgoing-message.ts'

interface Unanswered {
  readonly message: EncodedMessage
  /** Connections that were lost while it was on the wire, this one included. */
  readonly lostConnections: number
}

/**
 * Which of the publishes that have no answer may be sent once more after this loss. The broker closes a channel over
 * one publish, and with that one it would be closed again: so the fault must be known to be another's. It closes a
 * connection without a word about the publish, so what was there twice may be why, and is not sent a third time.
 */
export function decideResend(
  unanswered: readonly Unanswered[],
  error: WarrenError | undefined,
): (publish: Unanswered) => boolean {
  if (error instanceof ConnectionError)
    return ({ message, lostConnections }) => hasId(message) && lostConnections < 2
  if (!(error instanceof ChannelError)) return () => false
  const isAtFault = ({ message }: Unanswered): boolean => namesExchange(error, message.exchange)
  // Each time at least one is given up, so this comes to an end however often the channel is closed.
  return unanswered.some(isAtFault) ? (publish) => hasId(publish.message) && !isAtFault(publish) : () => false
}

/** Without an id nobody could tell a second copy from a second message. */
function hasId({ messageId, hasId = messageId !== undefined }: EncodedMessage): boolean {
  return hasId
}
