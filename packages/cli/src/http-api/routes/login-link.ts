import type { FastifyRequest } from 'fastify'
import { ApiError } from 'warrenmq/operations'
import type { AddRoutes } from '../api-context.ts'
import { isSecure } from '../auth/is-secure.ts'
import { consolePath } from '../console/serve-console.ts'
import { endpoints } from '../contract/endpoints.ts'
import { isCrossSite } from '../guards/is-cross-site.ts'
import { refuseWithoutBroker } from '../guards/refuse-without-broker.ts'
import { problemOf } from '../problems.ts'
import { openSessions } from '../vhosts/open-sessions.ts'

/** The browser that `warren console` opens. */
export const addLoginLinkRoutes: AddRoutes = (add, context) => {
  const { authenticator, broker, loginLink } = context

  add(endpoints.followLink, async ({ query: { secret }, request, reply }) => {
    if (!loginLink) throw noLink()
    refuseElsewhere(request)
    refuseWithoutBroker(broker)
    const credentials = loginLink.take(secret)
    if (!credentials) throw usedUp()
    try {
      const caller = await authenticator.logInByLink(credentials, request.ip)
      await openSessions(context, { caller, credentials, isSecure: isSecure(request), request, reply })
    } catch (error) {
      const { status } = problemOf(error)
      if (status >= 500 || status === 429) loginLink.giveBack()
      throw error
    }
    // From there on the secret stands in no address that a page could read.
    reply.header('location', consolePath)
    return undefined
  })
}

/**
 * Only as it was printed: a name that somebody has pointed at this machine is another site to a browser, and would get
 * the session as its own.
 */
function refuseElsewhere(request: FastifyRequest): void {
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(request.hostname)
  if (isHere && !isCrossSite(request)) return
  const message =
    'This link must be opened by hand or by `warren console`, not by a page. Open it as it was printed.'
  throw new ApiError({ code: 'API_CSRF_REFUSED', message })
}

function usedUp(): ApiError {
  const message =
    'This link has been used, or it is older than five minutes. Run `warren console` again for a new one.'
  return new ApiError({ code: 'API_NOT_AUTHENTICATED', message })
}

function noLink(): ApiError {
  const message = 'This server has no login link; `warren console` has one. Log in with a RabbitMQ account.'
  return new ApiError({ code: 'API_NOT_FOUND', message })
}
