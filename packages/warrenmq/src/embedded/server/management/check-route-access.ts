import type { User } from '../../model/access/access.ts'
import type { Broker } from '../../model/broker.ts'
import { permissionOf } from '../../model/create-broker.ts'
import type { Vhost } from '../../model/vhost.ts'
import { ApiRefusal, type ApiRequest, vhostOf } from './api-request.ts'

/**
 * Who may ask: whoever may use the API at all; who has access to the vhost in the path; who, with access to it, is a
 * policymaker as well; who may see all that goes on; or administrators, who may also ask what all others may.
 */
export type RouteAccess = 'anyone' | 'vhost' | 'policymaker' | 'monitoring' | 'administrator'

/** Refuses a request as RabbitMQ does. What is done in a vhost is subject to the user's permissions on top of it. */
export function checkRouteAccess(
  access: RouteAccess,
  { broker, user, vhost }: { broker: Broker; user: User; vhost: string | undefined },
): void {
  if (!user.tags.some((tag) => managementTags.includes(tag))) throw refused('Not management user')
  if (access === 'anyone' || isAdministrator(user)) return
  if (access === 'administrator') throw notAdministrator()
  if (access === 'monitoring') {
    if (!isMonitor(user)) throw refused('Not monitor user')
    return
  }
  if (access === 'policymaker' && !user.tags.includes('policymaker')) throw notForUser()
  // Whether there is such a vhost is found out when it is looked for.
  if (vhost === undefined || !broker.vhosts.has(vhost) || isAccessible({ broker, user }, vhost)) return
  if (broker.profile.management.hidesOtherVhosts) throw new ApiRefusal(404, 'not_found', 'Not Found')
  throw access === 'policymaker' ? notForUser() : refused('User not authorised to access virtual host')
}

/** The vhost that a list is asked of, or all that the user may look into. */
export function vhostsOf(request: ApiRequest): readonly Vhost[] {
  if (request.params.length > 0) return [vhostOf(request)]
  return [...request.broker.vhosts.values()].filter(({ name }) => isAccessible(request, name))
}

/** Whether what is in a vhost may be shown to the user. */
export function isAccessible({ broker, user }: { broker: Broker; user: User }, vhost: string): boolean {
  return isAdministrator(user) || permissionOf(broker, vhost, user.name) !== undefined
}

export function isAdministrator({ tags }: User): boolean {
  return tags.includes('administrator')
}

export function isMonitor({ tags }: User): boolean {
  return tags.includes('monitoring') || tags.includes('administrator')
}

export function notAdministrator(): ApiRefusal {
  return refused('Not administrator user')
}

export function notForUser(): ApiRefusal {
  return refused('User not authorised to access object')
}

const managementTags = ['administrator', 'monitoring', 'policymaker', 'management']

function refused(reason: string): ApiRefusal {
  return new ApiRefusal(401, 'not_authorised', reason)
}
