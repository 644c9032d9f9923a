import type { FastifyRequest } from 'fastify'
import { ApiError } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import { writeAudit } from '../audit/write-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { decideAccess } from '../auth/decide-access.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import { isSameSecret } from '../auth/same-secret.ts'
import { readSessionCookie } from '../auth/session-cookie.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { isCrossSite } from './is-cross-site.ts'

/** Finds out who asks and whether they may. Throws where not; a known caller's attempt is written down. */
export async function checkAccess(
  context: ApiContext,
  request: FastifyRequest,
  needs: Endpoint['needs'],
): Promise<Caller | undefined> {
  const { authenticator, settings, vhosts, broker } = context
  const caller =
    needs === 'anyone'
      ? undefined
      : await authenticator.authenticate({
          authorization: request.headers.authorization,
          cookie: readSessionCookie(request, vhosts.cookieOf(broker.vhost)),
          address: request.ip,
        })
  const isChange = request.method !== 'GET' && request.method !== 'HEAD'
  // Whatever comes of it is written down. To log out needs no permission, and must always be possible.
  if (isChange && caller && needs !== 'known')
    vhosts.viewerChanges.count(caller, settings.viewerChangesPerMinute)
  const { queue } = (request.params ?? {}) as { queue?: string }
  const access = decideAccess({
    needs,
    caller,
    isChange,
    hidePayloadsFrom: settings.hidePayloadsFrom,
    isReadable: queue === undefined || !caller || mayReadQueue(caller, queue),
    isCrossSite: isCrossSite(request),
    isAddressedHere: ['localhost', '127.0.0.1', '[::1]', settings.host].includes(request.hostname),
    hasCsrfToken: isChange && hasCsrfToken(request, caller),
  })
  if (access.kind === 'allowed') return caller
  if (caller && isChange) {
    const target = `${request.method} ${request.routeOptions.url ?? ''} ${queue ?? ''}`.trim()
    await writeAudit(context, { caller, request }, { action: 'refused', target, result: access.code })
  }
  throw new ApiError({ code: access.code, message: access.problem })
}

/** Nobody asks for it where nothing is changed, and those are most requests. */
function hasCsrfToken({ headers }: FastifyRequest, caller: Caller | undefined): boolean {
  return isSameSecret(String(headers['x-csrf-token'] ?? ''), caller?.csrfToken ?? '')
}
