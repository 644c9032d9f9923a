import { ApiError } from 'warrenmq/operations'
import type { AddRoutes } from '../api-context.ts'
import { writeAuditEnd } from '../audit/write-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { permissionsOfCaller } from '../auth/decide-role.ts'
import { isSecure } from '../auth/is-secure.ts'
import { clearSessionCookie } from '../auth/session-cookie.ts'
import type { MyPermissions } from '../contract/contract.ts'
import { endpoints } from '../contract/endpoints.ts'
import { isCrossSite } from '../guards/is-cross-site.ts'
import { refuseWithoutBroker } from '../guards/refuse-without-broker.ts'
import { closeOtherSessions } from '../vhosts/close-other-sessions.ts'
import { listMyVhosts } from '../vhosts/list-my-vhosts.ts'
import { openSessions } from '../vhosts/open-sessions.ts'

/** Who is it, and what may they do. */
export const addSessionRoutes: AddRoutes = (add, context) => {
  const { authenticator, sessions, settings, broker } = context
  const describe = (caller: Caller): MyPermissions => ({
    name: caller.name,
    role: caller.role,
    wayIn: caller.wayIn,
    vhost: broker.vhost,
    permissions: permissionsOfCaller(caller, settings),
    features: context.demo ? ['demo'] : [],
  })

  add(endpoints.openSession, async ({ body, request, reply }) => {
    refuseWithoutBroker(broker)
    const caller = await authenticator.logIn(body, request.ip)
    const login = { caller, credentials: body, isSecure: isSecure(request), request, reply }
    const { csrfToken, expiresAt } = await openSessions(context, login)
    return { ...describe(caller), csrfToken, expiresAt: expiresAt.toISOString() }
  })

  add(endpoints.showSession, async ({ caller, request }) => {
    // A page of a neighbouring host could have the cookie sent. It cannot read the answer, and need not get it either.
    if (isCrossSite(request)) throw new ApiError({ code: 'API_CSRF_REFUSED', message: notYourPage })
    const { csrfToken = null, session } = caller
    const vhosts = await listMyVhosts(context, { caller, request })
    return { ...describe(caller), csrfToken, expiresAt: session?.expiresAt ?? null, vhosts }
  })

  add(endpoints.listLoginWays, async () => ({
    isOpen: settings.isOpen,
    hasAccounts: settings.accountRoles !== undefined,
    oidcLogin: context.oidcLogin ? endpoints.beginLogin.path : null,
  }))

  add(endpoints.closeSession, async ({ caller, request, reply }) => {
    const { session } = caller
    clearSessionCookie(reply, context.vhosts.cookieOf(broker.vhost))
    if (session) sessions.close(session.id, Date.parse(session.expiresAt)) // at once, whether or not others can be told
    await closeOtherSessions(context, { request, reply })
    if (!session) return undefined
    const { id, expiresAt } = session
    const entry = { action: 'session.close', target: caller.name }
    try {
      await context.notices.tell({ kind: 'session-closed', session: id, expiresAt })
    } catch (cause) {
      await writeAuditEnd(context, { caller, request }, { ...entry, result: 'done on one server only' })
      const message = `The session has ended on this server, but the other servers did not get the message: there it may last until ${expiresAt}.`
      throw new ApiError({ code: 'NOTICES_UNAVAILABLE', message }, { cause })
    }
    await writeAuditEnd(context, { caller, request }, { ...entry, result: 'done' })
    return undefined
  })

  add(endpoints.myPermissions, async ({ caller }) => describe(caller))
}

const notYourPage = 'A session token is only for pages of this server. Ask for it from one of them.'
