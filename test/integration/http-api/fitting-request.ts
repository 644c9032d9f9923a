import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import type { Endpoint } from '../../../packages/cli/src/http-api/contract/endpoint.ts'

export type AnyEndpoint = Endpoint

/** As much of JSON Schema as the API uses. */
export interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly examples?: readonly unknown[]
}

/** A request that fits the schemas of an endpoint, about this queue; only what is required is said. */
export function fittingRequest(endpoint: AnyEndpoint, queue: string): InjectOptions {
  const { method, path, params, query, body, accepts } = endpoint
  const values = fieldsOf(params as JsonSchema | undefined, queue) as Record<string, string>
  const url = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name]!))
  return {
    method,
    url,
    query: fieldsOf(query as JsonSchema | undefined, queue) as Record<string, string>,
    ...(body && { payload: fieldsOf(body as JsonSchema, queue) as object }),
    ...(accepts && { payload: Buffer.from('no backup'), headers: { 'content-type': accepts.mediaType } }),
  }
}

/** The queue that a request is about stands in its path or in its body. */
export function namesQueue({ params, body }: AnyEndpoint): boolean {
  return [params, body].some((schema) => (schema as JsonSchema | undefined)?.properties?.queue !== undefined)
}

function fieldsOf(schema: JsonSchema | undefined, queue: string): unknown {
  const { properties = {}, required = [] } = schema ?? {}
  return Object.fromEntries(required.map((name) => [name, fittingValue(name, properties[name]!, queue)]))
}

function fittingValue(name: string, schema: JsonSchema, queue: string): unknown {
  if (name === 'queue') return queue
  if (schema.enum) return schema.enum[0]
  if (schema.pattern !== undefined)
    return fc.sample(fc.stringMatching(new RegExp(schema.pattern)), { numRuns: 1, seed: 1 })[0]
  if (schema.type === 'integer') return schema.minimum ?? 1
  if (schema.type === 'string') return 'x'
  if (schema.type === 'boolean') return true
  if (schema.type === 'object') return { ...(schema.examples?.[0] as object), queue }
  throw new Error(`Teach this to make a ${schema.type} for "${name}".`)
}
