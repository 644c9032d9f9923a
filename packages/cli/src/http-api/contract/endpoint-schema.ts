import type { FastifySchema } from 'fastify'
import Type, { type TSchema } from 'typebox'
import type { Endpoint } from './endpoint.ts'
import { problem } from './problem.ts'

/** The status of success. */
export function successOf({ status, answer, mediaType }: Endpoint): number {
  return status ?? (answer || mediaType ? 200 : 204)
}

/** What validates the requests of an endpoint and writes its answers. */
export function endpointSchema(endpoint: Endpoint): FastifySchema {
  const { params, query, body, answer, waiting } = endpoint
  const problems = { content: { 'application/problem+json': { schema: problem } } }
  return {
    ...(params && { params }),
    ...(query && { querystring: query }),
    // A file is not validated here: it is read piece by piece, and proved whole by whoever reads it.
    ...(body && { body }),
    response: {
      ...(answer && { [successOf(endpoint)]: json(answerOf(endpoint)!) }),
      ...(waiting && successOf(endpoint) !== 202 && { 202: json(waiting) }),
      '4xx': problems,
      '5xx': problems,
    },
  }
}

/** What a success holds: one or the other where both have the same status; their `kind` tells which. */
export function answerOf(endpoint: Endpoint): TSchema | undefined {
  const { answer, waiting } = endpoint
  return answer && waiting && successOf(endpoint) === 202 ? Type.Union([answer, waiting]) : answer
}

function json(schema: TSchema): { readonly content: object } {
  return { content: { 'application/json': { schema } } }
}
