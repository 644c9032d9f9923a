import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { EncryptJWT, errors, jwtDecrypt } from 'jose'
import { ApiError } from 'warrenmq/operations'
import type { Caller, CallerSession } from './caller.ts'

export interface OpenSession {
  /** For the cookie; nobody but a server with the same key can read or make one. */
  readonly cookie: string
  readonly csrfToken: string
  readonly expiresAt: Date
}

/**
 * Sessions of browsers. They are kept by the browser, so every replica with the same key knows them; only those
 * that were closed before their time are kept here.
 */
export interface Sessions {
  open(caller: Caller, about: Pick<CallerSession, 'isWatched'>): Promise<OpenSession>
  /** Undefined where it is none of ours, or was closed. */
  read(cookie: string): Promise<Caller | undefined>
  /** From now on it is none, whoever has a copy of its cookie. */
  close(session: string, expiresAtMs: number): void
}

export interface SessionSettings {
  /** Shared by replicas. @default a new one, which ends every session with the process */
  readonly key?: string | undefined
  readonly lifetimeMs: number
  /** A session of another vhost is none. */
  readonly vhost: string
}

export function createSessions({ key, lifetimeMs, vhost }: SessionSettings): Sessions {
  const secret = createHash('sha256')
    .update(key ?? randomBytes(32))
    .digest()
  const audience = `warren ${vhost}`
  const closed = new Map<string, number>()
  return {
    close: (session, expiresAtMs) => {
      const nowMs = Date.now()
      for (const [each, untilMs] of closed) if (untilMs < nowMs) closed.delete(each)
      closed.set(session, expiresAtMs)
    },
    open: async ({ name, role, wayIn, readableQueues, isReadUnknown = false }, { isWatched }) => {
      const csrfToken = randomBytes(32).toString('base64url')
      const expiresAt = new Date(Date.now() + lifetimeMs)
      const who = { name, role, wayIn, readableQueues, isReadUnknown }
      const cookie = await new EncryptJWT({ ...who, csrfToken, isWatched })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(audience)
        .setJti(randomUUID())
        .setExpirationTime(expiresAt)
        .encrypt(secret)
      return { cookie, csrfToken, expiresAt }
    },
    read: async (cookie) => {
      try {
        const requiredClaims = ['exp', 'jti']
        const { payload } = await jwtDecrypt<Caller & CallerSession>(cookie, secret, {
          audience,
          requiredClaims,
        })
        const { name, role, wayIn, readableQueues, csrfToken, isWatched, jti: id = '', exp = 0 } = payload
        // 0.1 did not write it down, and such an account is one that nobody can watch.
        const { isReadUnknown = wayIn === 'broker-account' && !isWatched } = payload
        if (closed.has(id)) return undefined
        const session = { id, expiresAt: new Date(exp * 1_000).toISOString(), isWatched }
        return { name, role, wayIn, readableQueues, isReadUnknown, csrfToken, session }
      } catch (error) {
        if (error instanceof errors.JWTExpired) {
          const message = 'The session has expired. Log in again.'
          throw new ApiError({ code: 'API_CREDENTIALS_EXPIRED', message })
        }
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}
