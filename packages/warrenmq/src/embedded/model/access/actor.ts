import type { Broker } from '../broker.ts'
import { permissionOf } from '../create-broker.ts'
import type { Vhost } from '../vhost.ts'
import { checkAccess, type Permission, type User } from './access.ts'

/** On whose behalf something is done. */
export interface Actor {
  readonly broker: Broker
  readonly vhost: Vhost
  readonly user: User
  /** Owns the exclusive queues that are declared on it. */
  readonly connection: object
  /** The broker itself acts, on a file that somebody gave it: nobody's permissions are asked for. */
  readonly isTrusted?: boolean
}

/** Refuses a passive declare to an actor that may do nothing at all with it, on versions that ask. */
export function demandAny(actor: Actor, resource: Parameters<typeof demand>[2]): void {
  if (!actor.broker.profile.asksToDeclarePassively) return
  for (const access of ['read', 'write'] as const) {
    if (isAllowed(actor, access, resource)) return
  }
  demand(actor, 'configure', resource)
}

function isAllowed(...asked: Parameters<typeof demand>): boolean {
  try {
    demand(...asked)
    return true
  } catch {
    return false
  }
}

/** Refuses what the actor may not do. */
export function demand(
  { broker, vhost, user, isTrusted }: Actor,
  access: keyof Permission,
  resource: { readonly kind: 'queue' | 'exchange'; readonly name: string },
): void {
  if (isTrusted) return
  const permission = permissionOf(broker, vhost.name, user.name)
  if (permission?.[access] === '.*') return // nearly always, and asked for every message
  checkAccess(
    {
      user,
      permission,
      access,
      resource: { ...resource, vhost: vhost.name },
    },
    broker.profile,
  )
}
