import type { JWTPayload } from 'jose'
import type { Caller } from '../caller.ts'
import { decideRole } from '../decide-role.ts'
import type { OidcSettings } from './oidc-settings.ts'

/** Who has these claims; undefined where none of them gives a role, or a name. */
export function callerOfClaims(
  claims: JWTPayload,
  { claim, roles, nameClaim }: Pick<OidcSettings, 'claim' | 'roles' | 'nameClaim'>,
): Caller | undefined {
  const role = decideRole(textsOf(claimOf(claims, claim)), roles)
  const name = claimOf(claims, nameClaim) ?? claims.sub
  // Who has no name could not be told from anybody else in the audit log, nor from who asks for an approval.
  if (role === undefined || typeof name !== 'string' || name.trim() === '') return undefined
  return { name, role, wayIn: 'oidc', readableQueues: undefined }
}

function claimOf(claims: JWTPayload, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Record<string, unknown>)[name]
          : undefined,
      claims,
    )
}

/** Providers write a list, or one text with spaces as for scopes. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ')
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
