import { createHash, randomBytes } from 'node:crypto'
import { EncryptJWT, errors, jwtDecrypt } from 'jose'
import { ApiError } from '../../errors.ts'
import type { Caller } from './caller.ts'

export interface OpenSession {
  /** For the cookie; nobody but a server with the same key can read or make one. */
  readonly cookie: string
  readonly csrfToken: string
  readonly expiresAt: Date
}

/** Sessions of browsers. They are kept by the browser alone, so every replica with the same key knows them. */
export interface Sessions {
  open(caller: Caller): Promise<OpenSession>
  /** Undefined where it is none of ours. */
  read(cookie: string): Promise<Caller | undefined>
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
  return {
    open: async ({ name, role, wayIn, readableQueues }) => {
      const csrfToken = randomBytes(32).toString('base64url')
      const expiresAt = new Date(Date.now() + lifetimeMs)
      const cookie = await new EncryptJWT({ name, role, wayIn, readableQueues, csrfToken })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(audience)
        .setExpirationTime(expiresAt)
        .encrypt(secret)
      return { cookie, csrfToken, expiresAt }
    },
    read: async (cookie) => {
      try {
        const { payload } = await jwtDecrypt<Caller>(cookie, secret, { audience, requiredClaims: ['exp'] })
        const { name, role, wayIn, readableQueues, csrfToken } = payload
        return { name, role, wayIn, readableQueues, csrfToken }
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
