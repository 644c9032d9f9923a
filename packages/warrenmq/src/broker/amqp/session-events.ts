import type { ConnectionError } from '../../errors.ts'

export interface SessionEvents {
  connected: { readonly endpoint: string; readonly product: string; readonly version: string }
  /** It is lost; the next attempt is due. */
  disconnected: { readonly error: ConnectionError; readonly nextAttemptMs: number }
  /** An attempt to connect failed; the next one is due. */
  'connect-failed': { readonly error: ConnectionError; readonly nextAttemptMs: number }
  'channel-opened': { readonly channel: string }
  'channel-lost': { readonly channel: string; readonly error: Error | undefined }
  'channel-failed': { readonly channel: string; readonly error: Error; readonly nextAttemptMs: number }
  blocked: { readonly reason: string }
  unblocked: Record<never, never>
}
