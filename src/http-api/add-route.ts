import type { FastifyInstance, FastifySchema } from 'fastify'
import { ApiError } from '../errors.ts'
import type { AddRoute, Answer, ApiContext } from './api-context.ts'
import { mayReadQueue } from './auth/decide-access.ts'
import { checkAccess } from './check-access.ts'
import type { Endpoint } from './endpoints.ts'
import { problem } from './shapes.ts'

/** Makes routes of endpoints: who may, what goes in, what comes out, and what OpenAPI says of it. */
export function routeAdder(app: FastifyInstance, context: ApiContext): AddRoute {
  return <Params, Query, Body, Result>(
    endpoint: Endpoint<Params, Query, Body, Result>,
    answer: Answer<Params, Query, Body, Result>,
  ) => {
    const { method, path: url, needs, status, answer: shape } = endpoint
    app.route({
      ...{ method, url, schema: schemaOf(endpoint) },
      // Before the body is read: whoever may not ask must not make us work.
      onRequest: async (request) => {
        request.caller = await checkAccess(context, request, needs)
      },
      handler: async (request, reply) => {
        const body = (request.body ?? undefined) as Body
        const caller = request.caller!
        const { queue } = (body ?? {}) as { queue?: unknown }
        for (const place of [request.params, request.query, body]) refuseLongName(place)
        if (typeof queue === 'string' && !mayReadQueue(caller, queue)) throw notReadable(queue)
        const result = await answer({
          ...{ params: request.params as Params, query: request.query as Query, body },
          ...{ caller, request, reply },
        })
        if (reply.sent) return reply
        reply.code(status ?? (shape ? 200 : 204))
        return shape ? result : reply.send()
      },
    })
  }
}

function schemaOf(endpoint: Endpoint<unknown, unknown, unknown, unknown>): FastifySchema {
  const { summary, tag, params, query, body, answer, status, needs, mediaType, accepts } = endpoint
  const success = answer ?? { type: mediaType ? 'string' : 'null', description: summary }
  return {
    summary,
    tags: [tag],
    ...(mediaType && { produces: [mediaType] }),
    ...(accepts && { consumes: [accepts] }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    security: needs === 'anyone' ? [] : [{ account: [] }, { bearer: [] }, { session: [] }],
    response: {
      [status ?? (answer || mediaType ? 200 : 204)]: success,
      '4xx': problem,
      '5xx': problem,
    },
  }
}

/** A schema counts characters; a name that does not fit into RabbitMQ's frames is one of nothing. */
function refuseLongName(place: unknown): void {
  const { queue = '', to = '' } = (place ?? {}) as { queue?: unknown; to?: unknown }
  for (const name of [queue, to]) {
    if (typeof name !== 'string' || Buffer.byteLength(name) <= 255) continue
    const message = `The name "${name.slice(0, 32)}…" has more than 255 bytes, and no queue has. Check it.`
    throw new ApiError({ code: 'API_REQUEST_INVALID', message })
  }
}

function notReadable(queue: string): ApiError {
  const message = `Your account has no read permission for the queue "${queue}" in RabbitMQ. Ask for it there.`
  return new ApiError({ code: 'API_FORBIDDEN', message })
}
