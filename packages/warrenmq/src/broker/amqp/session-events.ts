import type { ConnectionError } from '../../errors.ts'

/** What happens to the connections of a Warren. */
export interface SessionEvents {
  /** It is connected, for the first time or again. */
  connected: { readonly endpoint: string; readonly product: string; readonly version: string }
  /** It is lost; the next attempt is due. */
  disconnected: { readonly error: ConnectionError; readonly nextAttemptMs: number }
  /** An attempt to connect failed; the next one is due. */
  'connect-failed': { readonly error: ConnectionError; readonly nextAttemptMs: number }
  /** A channel is open. */
  'channel-opened': { readonly channel: string }
  /** A channel was closed; it is opened again. */
  'channel-lost': { readonly channel: string; readonly error: Error | undefined }
  /** A channel could not be opened; the next attempt is due. */
  'channel-failed': { readonly channel: string; readonly error: Error; readonly nextAttemptMs: number }
  /** The broker has an alarm and takes no publishes. */
  blocked: { readonly reason: string }
  /** The alarm is over. */
  unblocked: Record<never, never>
}
