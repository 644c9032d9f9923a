import type { MyPermissions } from './contract.ts'

/** What a page finds out about itself when it is loaded. */
export interface CurrentSession extends MyPermissions {
  /** To be sent as `x-csrf-token` with every request that changes something; null where no cookie was the proof. */
  readonly csrfToken: string | null
  readonly expiresAt: string | null
}
