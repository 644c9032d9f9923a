import type { User } from '../../model/access/access.ts'
import type { Actor } from '../../model/access/actor.ts'
import type { Broker } from '../../model/broker.ts'
import type { Vhost } from '../../model/vhost.ts'
import type { AmqpConnection } from '../amqp-connection.ts'
import type { FaultPlan } from '../faults.ts'

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }
export type JsonObject = { readonly [name: string]: Json | undefined }

/** What the API can reach. */
export interface ApiScope {
  readonly broker: Broker
  readonly faults: FaultPlan
  readonly connections: () => Iterable<AmqpConnection>
  readonly clusterName: string
  readonly nodeName: string
  readonly amqpPort: number
  readonly managementPort: () => number
}

export interface ApiRequest extends ApiScope {
  readonly user: User
  readonly method: string
  /** What stands in the places of the pattern that was matched. */
  readonly params: readonly string[]
  readonly query: URLSearchParams
  /** What the header X-Reason says, which is told to whom it concerns. */
  readonly reason: string | undefined
  readonly body: JsonObject
}

export interface ApiAnswer {
  readonly status: number
  readonly json?: Json
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer that ends the handling of a request. */
export class ApiRefusal extends Error {
  readonly status: number
  readonly error: string

  constructor(status: number, error: string, reason: string) {
    super(reason)
    this.name = 'ApiRefusal'
    this.status = status
    this.error = error
  }
}

export const noContent: ApiAnswer = { status: 204 }

export function ok(json: Json): ApiAnswer {
  return { status: 200, json }
}

export function notFound(): ApiRefusal {
  return new ApiRefusal(404, 'Object Not Found', 'Not Found')
}

export function badRequest(reason: string): ApiRefusal {
  return new ApiRefusal(400, 'bad_request', reason)
}

export function vhostOf({ broker, params }: ApiRequest): Vhost {
  const vhost = broker.vhosts.get(params[0] ?? '')
  if (!vhost) throw notFound()
  return vhost
}

/** The user of a request, acting in a vhost without a connection of its own. */
export function actorOf({ broker, user }: Pick<ApiRequest, 'broker' | 'user'>, vhost: Vhost): Actor {
  return { broker, vhost, user, connection: apiConnection }
}

const apiConnection = {}

export function text(body: JsonObject, name: string): string | undefined {
  const value = body[name]
  return typeof value === 'string' ? value : undefined
}

export function requiredText(body: JsonObject, name: string): string {
  const value = text(body, name)
  if (value === undefined) throw badRequest(`key_missing: ${name}`)
  return value
}

/** Clients write booleans as such or as text. */
export function flag(body: JsonObject, name: string, byDefault: boolean): boolean {
  const value = body[name]
  if (value === undefined || value === null) return byDefault
  return value === true || value === 'true'
}

export function objectIn(body: JsonObject, name: string): JsonObject {
  const value = body[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

export function listIn(body: JsonObject, name: string): readonly JsonObject[] {
  const value = body[name]
  return Array.isArray(value) ? (value as readonly JsonObject[]) : []
}
