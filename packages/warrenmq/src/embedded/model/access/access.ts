import type { Profile } from '../profile.ts'
import { ProtocolError } from '../protocol-error.ts'
import { matchesPattern } from './name-pattern.ts'

export interface User {
  readonly name: string
  readonly tags: readonly string[]
  readonly credentials: Credentials
}

/** A password as it is, or as RabbitMQ stores it in a definitions file. */
export type Credentials =
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: 'hash'; readonly passwordHash: string; readonly algorithm: string }

/** What of a vhost a user may touch, as patterns over names. An empty pattern allows nothing. */
export interface Permission {
  readonly configure: string
  readonly write: string
  readonly read: string
}

export interface AccessCheck {
  readonly user: User
  readonly permission: Permission | undefined
  readonly access: keyof Permission
  readonly resource: { readonly kind: 'queue' | 'exchange'; readonly name: string; readonly vhost: string }
}

/** Refuses what the user's permission does not allow. */
export function checkAccess({ user, permission, access, resource }: AccessCheck, profile: Profile): void {
  // The default exchange has no name, so permissions call it amq.default.
  const name = resource.kind === 'exchange' && resource.name === '' ? 'amq.default' : resource.name
  if (permission && isAllowed(permission[access], name)) return
  const described = `${resource.kind} '${name}' in vhost '${resource.vhost}'`
  const verb = profile.namesRefusedPermission ? `${access} ` : ''
  throw new ProtocolError('ACCESS_REFUSED', `${verb}access to ${described} refused for user '${user.name}'`)
}

function isAllowed(pattern: string, name: string): boolean {
  if (pattern === '.*') return true
  return pattern !== '' && matchesPattern(pattern, name)
}
