import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiContext } from '../api-context.ts'
import { writeAuditEnd } from '../audit/write-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { clearSessionCookie, readSessionCookie } from '../auth/session-cookie.ts'
import { describeFailure } from '../failure-log.ts'
import { refuseWithoutBroker } from '../guards/refuse-without-broker.ts'

/** Ends the sessions of a browser in the vhosts that it has not logged out of itself. */
export async function closeOtherSessions(
  { vhosts, broker }: Pick<ApiContext, 'vhosts' | 'broker'>,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<void> {
  const closing = vhosts.othersThan(broker.vhost).map(async ({ name, context }) => {
    const cookie = readSessionCookie(request, vhosts.cookieOf(name))
    clearSessionCookie(reply, vhosts.cookieOf(name))
    try {
      const caller = cookie === undefined ? undefined : await context.sessions.read(cookie)
      if (caller) await closeSession(context, caller, request)
    } catch (error) {
      request.log.warn({ ...describeFailure(error), vhost: name }, 'other servers may not know of a logout')
    }
  })
  await Promise.all(closing)
}

async function closeSession(context: ApiContext, caller: Caller, request: FastifyRequest): Promise<void> {
  if (!caller.session) return
  const { id, expiresAt } = caller.session
  context.sessions.close(id, Date.parse(expiresAt)) // here at once, whether or not the others can be told
  refuseWithoutBroker(context.broker) // nobody can, and the other logouts must not wait
  await context.notices.tell({ kind: 'session-closed', session: id, expiresAt })
  const entry = { action: 'session.close', target: caller.name, result: 'done' }
  await writeAuditEnd(context, { caller, request }, entry)
}
