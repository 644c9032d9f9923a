import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { AddRoute, Answer, ApiContext } from './api-context.ts'
import { mayReadQueue } from './auth/decide-access.ts'
import { checkAccess } from './check-access.ts'
import type { Approval } from './contract.ts'
import { endpointSchema, successOf } from './endpoint-schema.ts'
import type { Endpoint } from './endpoints.ts'
import { refuseWithoutBroker } from './refuse-in-vain.ts'
import { type AnswerName, createRenderedAnswers } from './rendered-answers.ts'

/** Makes routes of endpoints: who may, what goes in, what comes out, and what OpenAPI says of it. */
export function routeAdder(app: FastifyInstance, context: ApiContext): AddRoute {
  const giveRendered = createRenderedAnswers()
  return <Params, Query, Body, Result>(
    endpoint: Endpoint<Params, Query, Body, Result>,
    answer: Answer<Params, Query, Body, Result>,
    editionOf?: () => string,
  ) => {
    const { method, path: url, needs, answer: shape, waiting } = endpoint
    app.route({
      ...{ method, url, schema: endpointSchema(endpoint) },
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
        if (isWrittenDown(endpoint)) refuseWithoutBroker(context.line)
        const call = {
          ...{ params: request.params as Params, query: request.query as Query, body },
          ...{ caller, request, reply },
        }
        if (editionOf) {
          const name = { view: viewOf(endpoint, request), edition: editionOf() }
          const write = reply.getSerializationFunction(String(successOf(endpoint)), 'application/json')!
          const { etag, body: text } = await giveRendered(name, async () =>
            write((await answer(call)) as Record<string, unknown>),
          )
          return reply.header('etag', etag).type('application/json; charset=utf-8').send(text)
        }
        const result = await answer(call)
        if (reply.sent) return reply
        reply.code(successOf(endpoint))
        if (waiting && isApproval(result)) sayWhereItWaits(reply, result)
        return shape ? result : reply.send()
      },
    })
  }
}

/** All that a list depends on besides the time. What is asked for and not known makes no difference. */
function viewOf(
  { path, query: known }: Endpoint<unknown, unknown, unknown, unknown>,
  { caller, params, query }: FastifyRequest,
): AnswerName['view'] {
  return JSON.stringify([path, params, known ? query : null, caller?.role, caller?.readableQueues ?? null])
}

/** What changes something is in the audit log before it is done, and the broker keeps that. */
function isWrittenDown({ method, needs }: Pick<Endpoint, 'method' | 'needs'>): boolean {
  return method !== 'GET' && needs !== 'anyone' && needs !== 'known'
}

function isApproval(result: unknown): result is Approval {
  return (result as { kind?: unknown } | undefined)?.kind === 'approval'
}

/** Whatever was asked for, what waits for a second person is told in one way. */
function sayWhereItWaits(reply: FastifyReply, { id }: Approval): void {
  reply.code(202).header('location', `/api/v1/approvals/${id}`)
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
