import type { ApiErrorCode } from 'warrenmq/operations'
import type { Permission, Role } from '../contract/contract.ts'
import type { Caller } from './caller.ts'
import { permissionsOfCaller } from './decide-role.ts'

/** What is known of a request before anything is done for it. */
export interface AccessQuestion {
  readonly needs: Permission | 'known' | 'anyone'
  readonly caller: Caller | undefined
  readonly hidePayloadsFrom: readonly Role[]
  /** False where it names a queue that the caller may not read. */
  readonly isReadable: boolean
  /** It could change something. */
  readonly isChange: boolean
  /** A browser says that a page of another site made it. */
  readonly isCrossSite: boolean
  /** It was addressed to this machine by a name of this machine. */
  readonly isAddressedHere: boolean
  /** Whether the token that came with it is that of the session. */
  readonly hasCsrfToken: boolean
}

export type Access =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly code: ApiErrorCode; readonly problem: string }

const allowed: Access = { kind: 'allowed' }

/** Whether a request may go on. Nothing else decides it. */
export function decideAccess(question: AccessQuestion): Access {
  const { needs, caller, isChange } = question
  // Browsers send cookies, and passwords they remember, with requests that any page makes.
  if (isChange && question.isCrossSite) return refused('API_CSRF_REFUSED', crossSite)
  if (needs === 'anyone') return allowed
  if (!caller) return refused('API_NOT_AUTHENTICATED', anonymous)
  // Where nobody is asked, a page could still reach this port under a name of its own that leads here.
  if (caller.wayIn === 'nobody-asked' && !question.isAddressedHere)
    return refused('API_FORBIDDEN', foreignName)
  if (isChange && caller.csrfToken !== undefined && !question.hasCsrfToken)
    return refused('API_CSRF_REFUSED', noToken)
  const { hidePayloadsFrom } = question
  if (needs !== 'known' && !permissionsOfCaller(caller, { hidePayloadsFrom }).includes(needs))
    return refused(
      'API_FORBIDDEN',
      `This needs the permission ${needs}, which the role ${caller.role} does not have.`,
    )
  if (!question.isReadable) return refused('API_FORBIDDEN', notReadable)
  return allowed
}

const crossSite =
  'The request came from a page of another site. Send it from a page of this server, or without a browser.'
const anonymous = 'You are not logged in. Send a RabbitMQ account, an API token or an OIDC token.'
const foreignName = 'This server does not ask who you are, so it only answers to names of its own machine.'
const noToken = 'The session token is missing or wrong. Send its csrfToken as x-csrf-token.'
const notReadable = 'Your account has no read permission for this queue in RabbitMQ. Ask for it there.'

function refused(code: ApiErrorCode, problem: string): Access {
  return { kind: 'refused', code, problem }
}
