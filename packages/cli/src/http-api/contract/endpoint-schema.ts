import type { FastifySchema } from 'fastify'
import { takesKey } from '../once/read-once-key.ts'
import type { Endpoint } from './endpoint.ts'
import { either, type Shape } from './shape.ts'
import { problem } from './shapes.ts'

type AnyEndpoint = Endpoint<unknown, unknown, unknown, unknown>

/** The status of success. */
export function successOf({ status, answer, mediaType }: AnyEndpoint): number {
  return status ?? (answer || mediaType ? 200 : 204)
}

/** Of OpenAPI, with a word of ours: what `my/permissions` must have for it, or `known` or `anyone`. */
type EndpointSchema = FastifySchema & { readonly 'x-permission': AnyEndpoint['needs'] }

/** What validates the requests of an endpoint, writes its answers, and is told of it by OpenAPI. */
export function endpointSchema(endpoint: AnyEndpoint): EndpointSchema {
  const { summary, description, tag, params, query, needs } = endpoint
  return {
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    'x-permission': needs,
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(takesKey(endpoint) && { headers: onceHeaders }),
    ...(endpoint.mediaType === 'text/event-stream' && { headers: streamHeaders }),
    ...requestBody(endpoint),
    security: needs === 'anyone' ? [] : [{ account: [] }, { bearer: [] }, { session: [] }],
    response: { ...successes(endpoint), ...failures(endpoint) },
  }
}

const onceHeaders = {
  type: 'object',
  properties: {
    'idempotency-key': {
      type: 'string',
      description:
        'Names this request. Sent again with the same name within a day, it is answered as the first time and not done again.',
    },
  },
}

const streamHeaders = {
  type: 'object',
  properties: {
    'last-event-id': {
      type: 'string',
      description: 'The id of the last event that was read; EventSource sends it when it comes back.',
    },
  },
}

/** A file is not validated here: it is read piece by piece, and proved whole by whoever reads it. */
function requestBody({ body, accepts }: AnyEndpoint): Pick<FastifySchema, 'body'> {
  if (!accepts) return body ? { body } : {}
  const { mediaType, description } = accepts
  return { body: { content: { [mediaType]: { schema: { contentMediaType: mediaType, description } } } } }
}

interface Response {
  readonly description: string
  readonly headers?: object
  readonly content?: Readonly<Record<string, { readonly schema: Shape<unknown> | object }>>
  readonly type?: 'null'
}

type Responses = Readonly<Record<string, Response>>

function successes(endpoint: AnyEndpoint): Responses {
  const { method, summary, answer, mediaType, locates, waiting, whenEnded } = endpoint
  const status = successOf(endpoint)
  const success: Response = {
    description: summary,
    ...(locates !== undefined && located(locates)),
    ...(answer || mediaType ? contentOf(endpoint) : { type: 'null' }),
  }
  return {
    [status]: success,
    ...(waiting && status !== 202 && { 202: waitingFor(waiting) }),
    ...(method === 'GET' && answer && { 304: unchanged }),
    ...(whenEnded !== undefined && { 204: { description: whenEnded, type: 'null' } as const }),
  }
}

function contentOf({ answer, mediaType, alsoAs, waiting, status }: AnyEndpoint): Pick<Response, 'content'> {
  if (mediaType) return { content: { [mediaType]: { schema: { type: 'string' } } } }
  const schema = waiting && status === 202 ? either(answer!, waiting) : answer!
  const other = alsoAs && { [alsoAs]: { schema: { type: 'string' } } }
  return { content: { 'application/json': { schema }, ...other } }
}

function waitingFor(approval: Shape<unknown>): Response {
  return {
    description: 'It waits for a second person',
    ...located('The approval'),
    content: { 'application/json': { schema: approval } },
  }
}

function located(description: string): Pick<Response, 'headers'> {
  return { headers: { location: { type: 'string', description } } }
}

const unchanged: Response = { description: 'As it was at the etag in if-none-match', type: 'null' }

function failures({ unavailable }: AnyEndpoint): Responses {
  const content = { 'application/problem+json': { schema: problem } }
  return {
    ...(unavailable && {
      503: { description: unavailable, content: { 'text/plain': { schema: { type: 'string' } } } },
    }),
    '4xx': { description: 'The request cannot be answered; the problem says why', content },
    '5xx': { description: 'The server or its broker cannot answer now', content },
  }
}
