import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiContext } from '../api-context.ts'
import { writeAudit } from '../audit/write-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { setSessionCookie } from '../auth/session-cookie.ts'
import type { OpenSession } from '../auth/sessions.ts'
import type { Credentials } from '../contract/contract.ts'
import { describeFailure } from '../failure-log.ts'
import { refuseWithoutBroker } from '../guards/refuse-without-broker.ts'

export interface LoggedIn {
  readonly caller: Caller
  /** Of an account, whose role may be another one in each vhost. */
  readonly credentials?: Credentials
  readonly isSecure: boolean
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Opens a session for who has logged in, and one in each other vhost of this server where they have a role. */
export async function openSessions(context: ApiContext, login: LoggedIn): Promise<OpenSession> {
  const { vhosts, settings } = context
  const { caller, credentials, request } = login
  vhosts.viewerChanges.count(caller, settings.viewerChangesPerMinute) // each login is written down
  const opened = await openSession(context, login)
  const opening = vhosts.othersThan(context.broker.vhost).map(async ({ name, context: other }) => {
    try {
      refuseWithoutBroker(other.broker)
      const there = await other.authenticator.admit({ caller, credentials })
      if (there) await openSession(other, { ...login, caller: there })
    } catch (error) {
      // Whoever logs in here must not need all the others.
      request.log.warn({ ...describeFailure(error), vhost: name }, 'no session was opened in another vhost')
    }
  })
  await Promise.all(opening)
  return opened
}

async function openSession(context: ApiContext, login: LoggedIn): Promise<OpenSession> {
  const { caller, isSecure, request, reply } = login
  const { authenticator, vhosts, broker } = context
  await writeAudit(context, { caller, request }, { action: 'session.open', target: caller.name })
  const opened = await authenticator.openSession(caller)
  setSessionCookie(reply, opened, { isSecure, name: vhosts.cookieOf(broker.vhost) })
  return opened
}
