import type { FastifyReply } from 'fastify'
import type { OpenSession } from './sessions.ts'

/** Holds the session of a browser; its scripts cannot read it. */
export const sessionCookie = 'warren_session'

/** Gives the browser its session: pages of other sites can neither read it nor have it sent. */
export function setSessionCookie(
  reply: FastifyReply,
  { cookie, expiresAt }: OpenSession,
  { isSecure }: { readonly isSecure: boolean },
): void {
  reply.setCookie(sessionCookie, cookie, {
    ...{ httpOnly: true, sameSite: 'strict', path: '/', expires: expiresAt, secure: isSecure },
  })
}
