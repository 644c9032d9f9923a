import type { Permission, Role } from '../contract/contract.ts'
import type { Caller } from './caller.ts'

const viewing: readonly Permission[] = ['dlq:read', 'payload:read', 'topology:read']
const operating: readonly Permission[] = [...viewing, 'dlq:redrive', 'dlq:backup']
const administering: readonly Permission[] = [
  ...operating,
  'dlq:discard',
  'dlq:restore',
  'dlq:admin',
  'topology:apply',
  'audit:read',
]

const permissionsByRole = { viewer: viewing, operator: operating, admin: administering } as const
/** What shows whole messages. */
const ofPayloads: readonly Permission[] = ['payload:read', 'dlq:backup']
const ranks: readonly Role[] = ['viewer', 'operator', 'admin']

/** What a role may do. */
export function permissionsOf(
  role: Role,
  { hidePayloadsFrom = [] }: { readonly hidePayloadsFrom?: readonly Role[] | undefined } = {},
): readonly Permission[] {
  const all = permissionsByRole[role]
  return hidePayloadsFrom.includes(role) ? all.filter((each) => !ofPayloads.includes(each)) : all
}

/** What a caller may do: who may read nobody knows what is shown no payload. */
export function permissionsOfCaller(
  { role, isReadUnknown = false }: Pick<Caller, 'role' | 'isReadUnknown'>,
  { hidePayloadsFrom }: { readonly hidePayloadsFrom: readonly Role[] },
): readonly Permission[] {
  return permissionsOf(role, { hidePayloadsFrom: isReadUnknown ? [role] : hidePayloadsFrom })
}

/** Which names of RabbitMQ's tags or of a claim mean which role. */
export type RoleNames = Readonly<Record<string, Role>>

/** RabbitMQ's own tags, and three of ours for who wants to say it plainly. */
export const roleByTag: RoleNames = {
  administrator: 'admin',
  policymaker: 'operator',
  monitoring: 'viewer',
  management: 'viewer',
  'warren-admin': 'admin',
  'warren-operator': 'operator',
  'warren-viewer': 'viewer',
}

/** The highest role that one of the names gives; none gives none. */
export function decideRole(names: readonly string[], roles: RoleNames): Role | undefined {
  const found = names.flatMap((name) => (Object.hasOwn(roles, name) ? roles[name]! : []))
  return ranks.findLast((role) => found.includes(role))
}

/** Of a user in the vhost: regular expressions over names, as RabbitMQ keeps them. */
export interface VhostPermission {
  readonly configure: string
  readonly write: string
  readonly read: string
}

/** What the tags give, cut down to what the account could do in the vhost by itself. */
export function decideAccountRole(account: {
  readonly tags: readonly string[]
  readonly permission: VhostPermission | undefined
  readonly roles: RoleNames
}): Role | undefined {
  const { tags, permission, roles } = account
  const role = decideRole(tags, roles)
  if (role === undefined || permission === undefined || permission.read === '') return undefined
  if (permission.write === '') return 'viewer'
  return permission.configure === '' ? lowest(role, 'operator') : role
}

function lowest(left: Role, right: Role): Role {
  return ranks.indexOf(left) < ranks.indexOf(right) ? left : right
}
