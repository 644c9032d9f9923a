import type { ConnectionError } from '../../errors.ts'

/** What happens to the connections of a Warren: the thing, a dot, and what became of it. */
export interface SessionEvents extends OldSessionEvents {
  /** It is connected, for the first time or again. */
  'connection.opened': { readonly endpoint: string; readonly product: string; readonly version: string }
  /** It is lost; the next attempt is due. */
  'connection.lost': { readonly error: ConnectionError; readonly nextAttemptMs: number }
  /** An attempt to connect failed; the next one is due. */
  'connection.failed': { readonly error: ConnectionError; readonly nextAttemptMs: number }
  /** The broker has an alarm and takes no publishes. */
  'connection.blocked': { readonly reason: string }
  /** The alarm is over. */
  'connection.unblocked': Record<never, never>
  /** A channel is open. */
  'channel.opened': { readonly channel: string }
  /** A channel was closed; it is opened again. */
  'channel.lost': { readonly channel: string; readonly error: Error | undefined }
  /** A channel could not be opened; the next attempt is due. */
  'channel.failed': { readonly channel: string; readonly error: Error; readonly nextAttemptMs: number }
}

/** The names of 0.1. They are still heard. */
export interface OldSessionEvents {
  /** @deprecated `connection.opened` */
  connected: SessionEvents['connection.opened']
  /** @deprecated `connection.lost` */
  disconnected: SessionEvents['connection.lost']
  /** @deprecated `connection.failed` */
  'connect-failed': SessionEvents['connection.failed']
  /** @deprecated `connection.blocked` */
  blocked: SessionEvents['connection.blocked']
  /** @deprecated `connection.unblocked` */
  unblocked: SessionEvents['connection.unblocked']
  /** @deprecated `channel.opened` */
  'channel-opened': SessionEvents['channel.opened']
  /** @deprecated `channel.lost` */
  'channel-lost': SessionEvents['channel.lost']
  /** @deprecated `channel.failed` */
  'channel-failed': SessionEvents['channel.failed']
}

/** Which event an old name means. */
export const oldSessionEvents: Readonly<Record<keyof OldSessionEvents, keyof SessionEvents>> = {
  connected: 'connection.opened',
  disconnected: 'connection.lost',
  'connect-failed': 'connection.failed',
  blocked: 'connection.blocked',
  unblocked: 'connection.unblocked',
  'channel-opened': 'channel.opened',
  'channel-lost': 'channel.lost',
  'channel-failed': 'channel.failed',
}
