import type { MyPermissions } from './contract-core.ts'

/** What a page finds out about itself when it is loaded. */
export interface CurrentSession extends MyPermissions {
  /** To be sent as `x-csrf-token` with every request that changes something; null where no cookie was the proof. */
  readonly csrfToken: string | null
  readonly expiresAt: string | null
}

/** How a browser can log in here. */
export interface LoginWays {
  /** Nobody is asked who they are. */
  readonly isOpen: boolean
  /** `POST /api/v1/session` takes the name and the password of a RabbitMQ account. */
  readonly hasAccounts: boolean
  /** Where a browser goes to log in at the OIDC provider; null where it cannot. */
  readonly oidcLogin: string | null
}

export interface LoginQuery {
  /** The path of the page to go to afterwards. */
  readonly returnTo?: string
}

/** What a provider adds to the address that it sends a browser back to. It may add more. */
export interface LoginAnswerQuery {
  readonly code?: string
  readonly state?: string
  /** Who answers (RFC 9207). */
  readonly iss?: string
  readonly error?: string
  readonly error_description?: string
}
