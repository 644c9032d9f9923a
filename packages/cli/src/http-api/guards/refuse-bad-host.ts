import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from 'warrenmq/operations'

/**
 * A request of HTTP/1.1 says once for whom it is. One that says it twice may be read as one for another by a proxy on the
 * way, and is for nobody.
 */
export function refuseBadHost(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const count = countHosts(request)
    if (count === 1 || (count === 0 && request.raw.httpVersion === '1.0')) return
    const message = `The request has ${count === 0 ? 'no' : 'more than one'} header host. Send one.`
    throw new ApiError({ code: 'API_HTTP_MALFORMED', message })
  })
}

function countHosts({ raw: { rawHeaders } }: FastifyRequest): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}
