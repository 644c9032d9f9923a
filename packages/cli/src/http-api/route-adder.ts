import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from 'warrenmq/operations'
import type { AddRoute, Answer, ApiContext } from './api-context.ts'
import { viewOfCaller } from './auth/view-of-caller.ts'
import type { Approval } from './contract/contract.ts'
import type { AnswerOf, BodyOf, Endpoint, ParamsOf, QueryOf } from './contract/endpoint.ts'
import { endpointSchema, successOf } from './contract/endpoint-schema.ts'
import { readQuery } from './contract/read-query.ts'
import { takesKey } from './contract/takes-key.ts'
import { checkAccess } from './guards/check-access.ts'
import { checkQueue } from './guards/check-queue.ts'
import { hasBody } from './guards/limit-bodies.ts'
import { refuseBrokenText } from './guards/refuse-broken-text.ts'
import { refuseWithoutBroker } from './guards/refuse-without-broker.ts'
import { giveOnce } from './once/give-once.ts'
import { readOnceKey } from './once/read-once-key.ts'
import { type AnswerName, createRenderedAnswers } from './show/rendered-answers.ts'

/** Makes routes of endpoints: who may, what goes in, what comes out, and what OpenAPI says of it. */
export function routeAdder(app: FastifyInstance, context: ApiContext): AddRoute {
  const giveRendered = createRenderedAnswers()
  return <E extends Endpoint>(endpoint: E, answer: Answer<E>, editionOf?: () => string) => {
    const { method, path: url, needs, answer: shape, waiting } = endpoint
    app.route({
      method,
      url,
      schema: endpointSchema(endpoint),
      exposeHeadRoute: endpoint.actsOnGet !== true,
      config: { asksWho: needs !== 'anyone' },
      // Before the body is read: whoever may not ask must not make us work.
      onRequest: async (request, reply) => {
        // What is shown is for who asked, and not for whatever stands between. Lists are asked for again by their etag.
        reply.header('cache-control', editionOf ? 'private, no-cache' : 'no-store')
        request.caller = await checkAccess(context, request, needs)
        // Clients name the type of a body that they do not send; without a name there is nothing to read.
        if (!hasBody(request)) delete request.headers['content-type']
      },
      preValidation: async (request) => {
        if (endpoint.mayLackBody === true && request.body === undefined) request.body = {}
        if (endpoint.query) request.query = readQuery(endpoint.query, request.query)
      },
      handler: async (request, reply) => {
        const body = (request.body ?? undefined) as BodyOf<E>
        const caller = request.caller!
        const queue = queueOf(request.params) ?? queueOf(body)
        for (const place of [request.params, request.query, body]) refuseLongName(place)
        if (endpoint.body) refuseBrokenText(body)
        if (isWrittenDown(endpoint)) refuseWithoutBroker(context.broker)
        // For all that name a queue, so that none can be forgotten.
        if (queue !== undefined && !endpoint.isOfPast)
          await checkQueue(context, { caller, request }, queue, endpoint)
        // A file is not made for who asks what it would be.
        if (request.method === 'HEAD' && endpoint.mediaType === 'application/gzip')
          return reply.type(endpoint.mediaType).send()
        const call = {
          params: request.params as ParamsOf<E>,
          query: request.query as QueryOf<E>,
          body,
          caller,
          request,
          reply,
        }
        if (editionOf) {
          const name = { view: viewOf(endpoint, request), edition: editionOf() }
          const write = reply.getSerializationFunction(String(successOf(endpoint)), 'application/json')!
          const { etag, body: text } = await giveRendered(name, async () =>
            write((await answer(call)) as Record<string, unknown>),
          )
          return reply.header('etag', etag).type('application/json; charset=utf-8').send(text)
        }
        // What is uploaded is known when it has come; see restore-upload.ts.
        const isNamed = takesKey(endpoint) && !endpoint.accepts
        const onceKey = isNamed ? readOnceKey(request, body ?? null) : undefined
        const run = async (): Promise<AnswerOf<E>> => {
          const result = await answer(call)
          if (reply.sent) return result
          reply.code(successOf(endpoint))
          if (waiting && isApproval(result)) sayWhereItWaits(reply, result)
          return result
        }
        if (onceKey) return (await giveOnce(context, { onceKey, reply, run })) ?? reply.send()
        const result = await run()
        if (reply.sent) return reply
        return shape ? result : reply.send()
      },
    })
  }
}

/** All that a list depends on besides the time. What is asked for and not known makes no difference. */
function viewOf(
  { path, query: known }: Endpoint,
  { caller, params, query }: FastifyRequest,
): AnswerName['view'] {
  return JSON.stringify([path, params, known ? query : null, caller ? viewOfCaller(caller) : null])
}

function queueOf(place: unknown): string | undefined {
  const { queue } = (place ?? {}) as { queue?: unknown }
  return typeof queue === 'string' ? queue : undefined
}

/** What changes something is in the audit log before it is done, and the broker keeps that; so is who reads the log. */
function isWrittenDown({ method, needs }: Pick<Endpoint, 'method' | 'needs'>): boolean {
  return needs === 'audit:read' || (method !== 'GET' && needs !== 'anyone' && needs !== 'known')
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
    const message = `The name "${name.slice(0, 32)}…" has more than 255 bytes, which no queue name can have. Check it.`
    throw new ApiError({ code: 'API_REQUEST_INVALID', message })
  }
}
