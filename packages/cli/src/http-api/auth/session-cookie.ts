import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSecure } from './is-secure.ts'
import { soleCookie } from './oidc/sole-cookie.ts'
import type { OpenSession } from './sessions.ts'

/** Holds the session of a browser; its scripts cannot read it. */
export const sessionCookie = 'warren_session'

/** Over TLS. With this prefix browsers take the cookie from this very host only, and not from one beside it. */
function secureName(name: string): string {
  return `__Host-${name}`
}

/** Gives the browser its session: pages of other sites can neither read it nor have it sent. */
export function setSessionCookie(
  reply: FastifyReply,
  { cookie, expiresAt }: OpenSession,
  { isSecure, name = sessionCookie }: { readonly isSecure: boolean; readonly name?: string },
): void {
  reply.setCookie(isSecure ? secureName(name) : name, cookie, {
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    expires: expiresAt,
    secure: isSecure,
  })
}

/** Of a browser that came by TLS the one with the prefix: any other may be of a host beside this one. */
export function readSessionCookie(request: FastifyRequest, name: string): string | undefined {
  const { cookie } = request.headers
  return soleCookie(cookie, secureName(name)) ?? (isSecure(request) ? undefined : soleCookie(cookie, name))
}

/** Takes it back, by whichever name it was given. */
export function clearSessionCookie(reply: FastifyReply, name: string): void {
  reply.clearCookie(name, { path: '/' })
  reply.clearCookie(secureName(name), { path: '/', secure: true })
}
