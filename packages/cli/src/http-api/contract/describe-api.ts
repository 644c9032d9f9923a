import type { TSchema } from 'typebox'
import { type Endpoint, type EndpointList, tags } from './endpoint.ts'
import { answerOf, successOf } from './endpoint-schema.ts'
import { exampleOf } from './example-of.ts'
import { nameSchemas, type SchemaNames } from './name-schemas.ts'
import { type Problem, problem } from './problem.ts'
import { ofBroker } from './problem-codes.ts'
import { problemsOf } from './problems-of.ts'
import { takesKey } from './takes-key.ts'

type Json = Readonly<Record<string, unknown>>

interface Described {
  readonly endpoints: EndpointList
  /** Of Warren. */
  readonly version: string
  readonly sessionCookie: string
  /** The problem that a code stands for. */
  readonly problemOf: (code: string) => Problem
}

/** The OpenAPI document of the whole API. */
export function describeApi({ endpoints, version, sessionCookie, problemOf }: Described): Json {
  const names = nameSchemas()
  const paths: Record<string, Record<string, Json>> = {}
  for (const [operationId, endpoint] of Object.entries(endpoints)) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    const operation = describeOperation(endpoint, { names, problemOf })
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: { operationId, ...operation } }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Warren',
      version,
      description: 'Dead letters of RabbitMQ: see why messages died, and put them back.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this document came from.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...names.schemas, BrokerProblemCode: brokerCodes },
      securitySchemes: securitySchemes(sessionCookie),
    },
  }
}

const brokerCodes = {
  type: 'string',
  enum: ofBroker,
  description: 'RabbitMQ is unreachable, slow, or refuses what the server asks for.',
  examples: ['CONNECTION_LOST'],
}

function securitySchemes(name: string): Json {
  return {
    account: { type: 'http', scheme: 'basic', description: 'An account of RabbitMQ.' },
    bearer: { type: 'http', scheme: 'bearer', description: 'An API token, or an OIDC token.' },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name,
      description: 'For browsers. A request that changes something also needs the csrfToken as x-csrf-token.',
    },
  }
}

interface Tools {
  readonly names: SchemaNames
  readonly problemOf: Described['problemOf']
}

function describeOperation(endpoint: Endpoint, tools: Tools): Json {
  const { summary, description, tag, needs } = endpoint
  const parameters = describeParameters(endpoint, tools)
  return {
    summary,
    description,
    tags: [tag],
    'x-permission': needs,
    security: needs === 'anyone' ? [] : [{ account: [] }, { bearer: [] }, { session: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...describeBody(endpoint, tools),
    responses: { ...describeSuccess(endpoint, tools), ...describeProblems(endpoint, tools) },
  }
}

function describeParameters(endpoint: Endpoint, { names }: Tools): readonly Json[] {
  const { params, query, mediaType } = endpoint
  const fieldsOf = (schema: TSchema | undefined, place: 'path' | 'query') => {
    const { properties = {}, required = [] } = (schema ?? {}) as {
      properties?: Readonly<Record<string, Json>>
      required?: readonly string[]
    }
    return Object.entries(properties).map(([name, field]) => {
      const { description, examples, ...schema } = names.write(field)
      const { style, explode } = field
      return {
        name,
        in: place,
        description,
        // What has a default need not be said.
        required: required.includes(name) && field.default === undefined,
        ...(style !== undefined && { style, explode }),
        schema,
        example: exampleOf(field),
      }
    })
  }
  return [
    ...fieldsOf(params, 'path'),
    ...fieldsOf(query, 'query'),
    ...(takesKey(endpoint) ? [idempotencyKey] : []),
    ...(mediaType === 'text/event-stream' ? [lastEventId] : []),
  ]
}

const idempotencyKey = {
  name: 'idempotency-key',
  in: 'header',
  required: false,
  description:
    'Identifies this request. Sent again with the same key within a day, it gets the same answer and is not carried out again.',
  schema: { type: 'string' },
  example: '0b6c1a3e-7a5e-4d0f-8a55-3a0b6d1c9f10',
}
const lastEventId = {
  name: 'last-event-id',
  in: 'header',
  required: false,
  description: 'The id of the last event received. EventSource sends it when it reconnects.',
  schema: { type: 'string' },
  example: '7',
}

function describeBody({ body, accepts, mayLackBody }: Endpoint, { names }: Tools): Json {
  if (accepts) {
    const { mediaType: contentMediaType, description } = accepts
    const schema = { contentMediaType, description }
    return { requestBody: { required: true, description, content: { [contentMediaType]: { schema } } } }
  }
  if (!body) return {}
  const { description } = body as { description?: string }
  const content = { 'application/json': { schema: names.write(body), example: exampleOf(body) } }
  return { requestBody: { required: mayLackBody !== true, description, content } }
}

function describeSuccess(endpoint: Endpoint, tools: Tools): Json {
  const { method, answer, locates, waiting, whenEnded } = endpoint
  const status = successOf(endpoint)
  const headers = locates === undefined ? {} : located(locates)
  return {
    [status]: { description: sayAnswer(endpoint), ...headers, ...contentOf(endpoint, tools) },
    ...(waiting && status !== 202 && { 202: waitingFor(waiting, tools) }),
    ...(method === 'GET' &&
      answer && { 304: { description: 'Not changed since the etag in if-none-match.' } }),
    ...(whenEnded !== undefined && { 204: { description: whenEnded } }),
    ...(isRedirect(status) && { default: { description: 'What a client gets if it follows the redirect.' } }),
  }
}

function sayAnswer(endpoint: Endpoint): string {
  const { answer, waiting, locates } = endpoint
  if (waiting && locates !== undefined) return locates
  const { description } = (answer ?? {}) as { description?: string }
  return description ?? (endpoint.mediaType ? endpoint.summary : 'Done.')
}

function contentOf(endpoint: Endpoint, { names }: Tools): Json {
  const { mediaType, example, alsoAs } = endpoint
  if (mediaType) return { content: { [mediaType]: { schema: { type: 'string' }, example } } }
  const answer = answerOf(endpoint)
  if (!answer) return {}
  const page = alsoAs && { [alsoAs]: { schema: { type: 'string' }, example: '<!doctype html>' } }
  const schema = names.write(answer)
  return { content: { 'application/json': { schema, example: exampleOf(answer) }, ...page } }
}

function waitingFor(approval: TSchema, { names }: Tools): Json {
  return {
    description: 'It waits for a second person.',
    ...located('The approval.'),
    content: { 'application/json': { schema: names.write(approval), example: exampleOf(approval) } },
  }
}

function located(description: string): Json {
  return {
    headers: {
      location: {
        description,
        schema: { type: 'string' },
        example: '/api/v1/tasks/5f0c9a5e-3c7b-4a53-9b4e-0a4f8f3a9a01',
      },
    },
  }
}

function describeProblems(endpoint: Endpoint, tools: Tools): Json {
  const codes = problemsOf(endpoint)
  const within = (from: number) =>
    codes.filter((code) => Math.floor(tools.problemOf(code).status / 100) === from / 100)
  const { unavailable } = endpoint
  return {
    ...(unavailable !== undefined && {
      503: {
        description: unavailable,
        content: { 'text/plain': { schema: { type: 'string' }, example: 'not connected\n' } },
      },
    }),
    '4XX': describeProblem('The request cannot be answered; the problem says why.', within(400), tools),
    '5XX': describeProblem('The server or its broker cannot answer now.', within(500), tools),
  }
}

function describeProblem(words: string, codes: readonly string[], { names, problemOf }: Tools): Json {
  const broker: readonly string[] = ofBroker
  const own = codes.filter((code) => !broker.includes(code))
  const listed = own.map((code) => `\`${code}\` (${problemOf(code).status})`)
  const ownCode = { type: 'string', enum: own }
  const mayBeBroker = own.length < codes.length
  const code = mayBeBroker
    ? { anyOf: [ownCode, { $ref: '#/components/schemas/BrokerProblemCode' }] }
    : ownCode
  const known = { type: 'object', properties: { code: { ...code, description: 'Which problem it is.' } } }
  return {
    description: `${words} Codes: ${listed.join(', ')}${mayBeBroker ? ', and those of BrokerProblemCode (503)' : ''}.`,
    content: {
      'application/problem+json': {
        schema: { allOf: [names.write(problem), { ...known, required: ['code'] }] },
        example: problemOf(own[0]!),
      },
    },
  }
}

function isRedirect(status: number): boolean {
  return status === 302 || status === 303
}
