import { createHash, randomBytes } from 'node:crypto'
import { ApiError } from 'warrenmq/operations'
import type { Role } from '../contract/contract.ts'
import type { Caller } from './caller.ts'
import { isSameSecret } from './same-secret.ts'

/** A token as the config keeps it: enough to know it again, not enough to use it. */
export interface StoredToken {
  readonly name: string
  readonly role: Role
  /** `sha256:` and the hash in hex. */
  readonly hash: string
  /** ISO 8601. @default never */
  readonly expires?: string | undefined
}

const prefix = 'warren_'

/** A new token, and its hash for the config. The token itself is shown once and kept nowhere. */
export function createToken(): { readonly token: string; readonly hash: string } {
  const token = `${prefix}${randomBytes(32).toString('base64url')}`
  return { token, hash: hashToken(token) }
}

/** One round is enough: 256 random bits cannot be guessed, unlike a password. */
function hashToken(token: string): string {
  return `sha256:${createHash('sha256').update(token).digest('hex')}`
}

export function looksLikeToken(text: string): boolean {
  return text.startsWith(prefix)
}

/** Who a token belongs to; undefined where nobody has it. Every entry is compared, found or not. */
export function checkToken(token: string, stored: readonly StoredToken[], nowMs: number): Caller | undefined {
  const hash = hashToken(token)
  const found = stored.filter((each) => isSameSecret(each.hash, hash))[0]
  if (!found) return undefined
  // Turned round so that what is no date is over: NaN is greater than nothing.
  if (found.expires !== undefined && !(Date.parse(found.expires) > nowMs)) {
    const message = `The token "${found.name}" has expired. Create a new one with \`warren serve --new-token\`.`
    throw new ApiError({ code: 'API_CREDENTIALS_EXPIRED', message })
  }
  return { name: found.name, role: found.role, wayIn: 'token', readableQueues: undefined }
}
