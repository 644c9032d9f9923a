import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from 'warrenmq/operations'
import type { AddRoutes, ApiContext } from '../api-context.ts'
import { loginLifetimeMs } from '../auth/oidc/begun-logins.ts'
import type { OidcLogin } from '../auth/oidc/oidc-login.ts'
import { endpoints } from '../contract/endpoints.ts'
import { describeFailure } from '../failure-log.ts'
import { refuseWithoutBroker } from '../guards/refuse-without-broker.ts'
import { problemOf } from '../problems.ts'
import { type LoginPage, renderLoginPage } from '../show/render-login-page.ts'
import { openSessions } from '../vhosts/open-sessions.ts'

/** Browsers that log in at an OIDC provider: there, back again, and out. */
export const addOidcRoutes: AddRoutes = (add, context) => {
  const { broker } = context

  add(endpoints.beginLogin, ({ query: { returnTo }, request, reply }) =>
    tellPersons(context, { request, reply }, async () => {
      const login = loginOf(context)
      refuseWithoutBroker(broker)
      const { url, cookie } = await login.begin(returnTo)
      const expires = new Date(Date.now() + loginLifetimeMs)
      reply.setCookie(login.cookie.name, cookie, { ...cookieOptions(login), expires })
      reply.header('location', url)
    }),
  )

  add(endpoints.finishLogin, ({ query, request, reply }) =>
    tellPersons(context, { request, reply }, async () => {
      const login = loginOf(context)
      refuseWithoutBroker(broker)
      reply.clearCookie(login.cookie.name, cookieOptions(login))
      const { caller, returnTo } = await login.finish(query, request.headers.cookie)
      await openSessions(context, { caller, isSecure: login.cookie.isSecure, request, reply })
      const link = { url: returnTo, text: 'Continue' }
      await sendPage(reply, {
        title: 'Logged in',
        sentence: `You are ${caller.name}.`,
        link,
        isLeaving: true,
      })
    }),
  )

  add(endpoints.leaveProvider, ({ request, reply }) =>
    tellPersons(context, { request, reply }, async () => {
      reply.header('location', await loginOf(context).logOutUrl())
    }),
  )
}

function loginOf({ oidcLogin }: Pick<ApiContext, 'oidcLogin'>): OidcLogin {
  if (oidcLogin) return oidcLogin
  const message =
    'Browsers cannot log in at an OIDC provider here: server.auth.oidc has no clientId. Use a RabbitMQ account.'
  throw new ApiError({ code: 'API_NOT_FOUND', message })
}

/** Not strict: it has to come back with a browser that another site sends. */
function cookieOptions({ cookie }: OidcLogin) {
  return { httpOnly: true, sameSite: 'lax', path: '/', secure: cookie.isSecure } as const
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** What goes wrong is a page for a person, and a problem for a program. */
async function tellPersons(
  { oidcLogin }: Pick<ApiContext, 'oidcLogin'>,
  { request, reply }: Exchange,
  work: () => Promise<void>,
): Promise<undefined> {
  try {
    await work()
  } catch (error) {
    request.log.warn({ ...describeFailure(error), why: whyOf(error) }, 'a browser was not logged in')
    if (!request.headers.accept?.includes('text/html')) throw error
    const { detail: sentence, status } = problemOf(error)
    const link = { url: oidcLogin?.againUrl ?? endpoints.beginLogin.path, text: 'Log in again' }
    await sendPage(reply.code(status), { title: 'Not logged in', sentence, link, isLeaving: false })
  }
  return undefined
}

function sendPage(reply: FastifyReply, page: LoginPage): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(renderLoginPage(page))
}

/** What is for the log only: the errors behind one, and nothing that is secret; see redeem-code.ts. */
function whyOf(error: unknown): string | undefined {
  const { cause } = error as { cause?: unknown }
  if (!(cause instanceof Error)) return undefined
  return [cause.message, whyOf(cause)].filter(Boolean).join(': ')
}
