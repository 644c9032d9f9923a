import { ChannelError, WarrenError } from '../errors.ts'

/** What a broker says on a channel whose queue has no leader just now, besides much else that time may mend. */
export const internalError = 541

/** Whether an error means that a connection, a channel or what is behind it is gone, so that another one may do. */
export function isLineLost(error: unknown): boolean {
  if (!(error instanceof WarrenError)) return false
  if (error instanceof ChannelError) {
    const { code, replyCode } = error
    return code === 'CHANNEL_CLOSED' || code === 'CHANNEL_TIMEOUT' || replyCode === internalError
  }
  return error.code.startsWith('CONNECTION_')
}
