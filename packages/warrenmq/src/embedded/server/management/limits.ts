import { findLimitProblem, type Limits } from '../../model/access/limits.ts'
import type { Vhost } from '../../model/vhost.ts'
import {
  type ApiAnswer,
  ApiRefusal,
  type ApiRequest,
  badRequest,
  type Json,
  type JsonObject,
  noContent,
  notFound,
  ok,
  vhostOf,
} from './api-request.ts'
import { escapeForHtml } from './policies-api.ts'

export function listVhostLimits(request: ApiRequest): ApiAnswer {
  const vhosts = request.params.length > 0 ? [vhostOf(request)] : [...request.broker.vhosts.values()]
  return ok(
    vhosts.flatMap(({ name, limits }) =>
      limits?.size ? [{ vhost: name, value: renderLimits(limits) }] : [],
    ),
  )
}

export function putVhostLimit({ broker, params, body }: ApiRequest): ApiAnswer {
  const vhost = broker.vhosts.get(params[0]!)
  if (!vhost) throw new ApiRefusal(404, 'not_found', 'vhost_not_found')
  const { name, value } = limitIn(params, body)
  const limits = readLimits('vhost', { [name]: value }, sayInvalid)
  vhost.limits = new Map([...(vhost.limits ?? []), ...limits])
  return noContent
}

export function deleteVhostLimit(request: ApiRequest): ApiAnswer {
  const vhost = vhostOf(request)
  const rest = [...(vhost.limits ?? [])].filter(([name]) => name !== request.params[1])
  vhost.limits = rest.length > 0 ? new Map(rest) : undefined
  return noContent
}

/** Limits of a vhost are stored as a parameter. */
export function putLimitsParameter({ broker, params, body }: ApiRequest): ApiAnswer {
  const [, vhostName, name] = params
  const vhost = broker.vhosts.get(vhostName!)
  if (!vhost) throw new ApiRefusal(404, 'not_found', 'vhost_not_found')
  // RabbitMQ keeps it, stumbles, and can never remove the vhost again.
  if (name !== 'limits') return { status: 500 }
  const isNew = !vhost.limits
  const { escapesPolicyProblems } = broker.profile.management
  setVhostLimits(vhost, body.value, (problem) =>
    sayInvalid(escapesPolicyProblems ? escapeForHtml(problem) : problem),
  )
  return isNew ? { status: 201 } : noContent
}

export function setVhostLimits(
  vhost: Vhost,
  value: Json | undefined,
  say: (problem: string) => ApiRefusal = sayInvalid,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw say(`limits not a list ${renderTerm(value ?? null)}`)
  }
  vhost.limits = readLimits('vhost', value as JsonObject, say)
}

export function listUserLimits({ broker, params }: ApiRequest): ApiAnswer {
  const [name] = params
  if (name !== undefined && !broker.users.has(name)) throw notFound()
  return ok(
    [...broker.userLimits]
      .filter(([user, limits]) => limits.size > 0 && (name === undefined || user === name))
      .map(([user, limits]) => ({ user, value: renderLimits(limits) })),
  )
}

export function putUserLimit({ broker, params, body }: ApiRequest): ApiAnswer {
  const user = params[0]!
  if (!broker.users.has(user)) {
    return { status: 400, json: { error: 'bad_request', reason: ['no_such_user', user] } }
  }
  const { name, value } = limitIn(params, body)
  const limits = readLimits('user', { [name]: value }, badRequest)
  broker.userLimits.set(user, new Map([...(broker.userLimits.get(user) ?? []), ...limits]))
  return noContent
}

export function deleteUserLimit({ broker, params }: ApiRequest): ApiAnswer {
  const [user, name] = params
  if (!broker.users.has(user!)) throw notFound()
  broker.userLimits.set(
    user!,
    new Map([...(broker.userLimits.get(user!) ?? [])].filter(([each]) => each !== name)),
  )
  return noContent
}

export function readLimits(
  kind: 'vhost' | 'user',
  value: JsonObject,
  say: (problem: string) => ApiRefusal,
): Limits {
  const entries = Object.entries(value).map(([name, limit]) => {
    const problem = findLimitProblem(kind, { name, value: limit, rendered: renderTerm(limit ?? null) })
    if (problem !== undefined) throw say(problem)
    return [name, limit as number] as const
  })
  return new Map(entries)
}

export function renderLimits(limits: Limits | undefined): JsonObject {
  return Object.fromEntries(limits ?? [])
}

function limitIn(params: readonly string[], body: JsonObject): { name: string; value: Json } {
  const { value } = body
  if (value === undefined) throw badRequest('[{key_missing,value}]')
  return { name: params[1]!, value }
}

function sayInvalid(problem: string): ApiRefusal {
  return badRequest(`Validation failed\n\n${problem}\n`)
}

/** A simple value as Erlang prints it. */
function renderTerm(value: Json): string {
  return typeof value === 'string' ? `<<"${value}">>` : JSON.stringify(value)
}
