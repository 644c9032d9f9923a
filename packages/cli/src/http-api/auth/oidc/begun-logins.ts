import { hkdfSync, randomBytes } from 'node:crypto'
import { EncryptJWT, errors, jwtDecrypt } from 'jose'
import { steadyClock } from 'warrenmq/operations'

/** What a login is known by when the browser comes back from the provider. */
export interface BegunLogin {
  readonly state: string
  readonly nonce: string
  /** Of PKCE: only who has it can redeem the code. */
  readonly verifier: string
  /** Where the browser goes when it is logged in. */
  readonly returnTo: string
}

/**
 * Logins that are under way. The browser keeps its own in a cookie that it cannot read, so every server with the same
 * key knows it again. Only those that have come back are kept here.
 */
export interface BegunLogins {
  seal(login: BegunLogin): Promise<string>
  /** Undefined where it is none of ours, or is too old. */
  open(sealed: string): Promise<BegunLogin | undefined>
  /** True the first time: a login comes back once. */
  take(login: BegunLogin): boolean
}

/** How long somebody may take to log in at the provider. */
export const loginLifetimeMs: number = 10 * 60_000
/** Of logins that came back; beyond that the oldest is forgotten, and its code is used up at the provider. */
const mostTaken = 10_000

export function createBegunLogins({
  key = randomBytes(32),
  vhost,
}: {
  /** Shared by replicas. @default a new one, which ends every login with the process */
  readonly key?: string | Buffer | undefined
  /** A login of another vhost is none. */
  readonly vhost: string
}): BegunLogins {
  // Of the same key as sessions, and yet another: neither cookie can be taken for the other.
  const secret = new Uint8Array(hkdfSync('sha256', key, '', 'warren oidc login', 32))
  const audience = `warren ${vhost}`
  const takenUntilMs = new Map<string, number>()
  return {
    seal: (login) =>
      new EncryptJWT({ ...login })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(audience)
        .setExpirationTime(new Date(Date.now() + loginLifetimeMs))
        .encrypt(secret),
    open: async (sealed) => {
      try {
        const { payload } = await jwtDecrypt<BegunLogin>(sealed, secret, {
          audience,
          requiredClaims: ['exp'],
        })
        const { state, nonce, verifier, returnTo } = payload
        return { state, nonce, verifier, returnTo }
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
    take: ({ state }) => {
      const nowMs = steadyClock.now()
      for (const [each, untilMs] of takenUntilMs) {
        if (untilMs > nowMs && takenUntilMs.size < mostTaken) break
        takenUntilMs.delete(each)
      }
      if (takenUntilMs.has(state)) return false
      takenUntilMs.set(state, nowMs + loginLifetimeMs)
      return true
    },
  }
}
