import type { Credentials, Permission, User } from '../../model/access/access.ts'
import type { Limits } from '../../model/access/limits.ts'
import { readPattern, sayNotModelled } from '../../model/access/name-pattern.ts'
import { grant } from '../../model/create-broker.ts'
import { ProtocolError } from '../../model/protocol-error.ts'
import { hashPassword } from '../authenticate.ts'
import {
  type ApiAnswer,
  type ApiRequest,
  badRequest,
  type Json,
  type JsonObject,
  noContent,
  notFound,
  ok,
  requiredText,
  text,
  vhostOf,
} from './api-request.ts'
import { renderLimits } from './limits.ts'

export function whoAmI({ user }: ApiRequest): ApiAnswer {
  return ok({ name: user.name, tags: user.tags })
}

export function listUsers({ broker }: ApiRequest): ApiAnswer {
  return ok([...broker.users.values()].map((user) => renderUser(user, broker.userLimits.get(user.name))))
}

export function showUser(request: ApiRequest): ApiAnswer {
  const user = findUser(request)
  return ok(renderUser(user, request.broker.userLimits.get(user.name)))
}

export function putUser({ broker, params, body }: ApiRequest): ApiAnswer {
  const isNew = !broker.users.has(params[0]!)
  const user = readUser(params[0]!, body)
  broker.users.set(user.name, user)
  return isNew ? { status: 201 } : noContent
}

export function deleteUser(request: ApiRequest): ApiAnswer {
  const { name } = findUser(request)
  for (const connection of request.connections()) {
    if (connection.user()?.name !== name) continue
    connection.close(new ProtocolError('CONNECTION_FORCED', `user '${name}' is deleted`))
  }
  request.broker.users.delete(name)
  request.broker.userLimits.delete(name)
  for (const ofVhost of request.broker.permissions.values()) ofVhost.delete(name)
  for (const ofVhost of request.broker.topicPermissions.values()) ofVhost.delete(name)
  return noContent
}

export function listPermissions({ broker }: ApiRequest): ApiAnswer {
  return ok(
    [...broker.permissions].flatMap(([vhost, byUser]) =>
      [...byUser].map(([user, permission]) => ({ user, vhost, ...permission })),
    ),
  )
}

export function listVhostPermissions(request: ApiRequest): ApiAnswer {
  const vhost = vhostOf(request).name
  const byUser = request.broker.permissions.get(vhost) ?? new Map<string, Permission>()
  return ok([...byUser].map(([user, permission]) => ({ user, vhost, ...permission })))
}

export function listUserPermissions(request: ApiRequest): ApiAnswer {
  const { name } = findUser(request)
  return ok(
    [...request.broker.permissions].flatMap(([vhost, byUser]) => {
      const permission = byUser.get(name)
      return permission ? [{ user: name, vhost, ...permission }] : []
    }),
  )
}

export function showPermission(request: ApiRequest): ApiAnswer {
  const vhost = vhostOf(request).name
  const user = request.params[1]!
  const permission = request.broker.permissions.get(vhost)?.get(user)
  if (!permission) throw notFound()
  return ok({ user, vhost, ...permission })
}

export function putPermission(request: ApiRequest): ApiAnswer {
  const vhost = vhostOf(request).name
  const user = request.params[1]!
  if (!request.broker.users.has(user)) throw notFound()
  const isNew = !request.broker.permissions.get(vhost)?.has(user)
  grant(request.broker, { vhost, user, permission: readPermission(request.body) })
  return isNew ? { status: 201 } : noContent
}

export function deletePermission(request: ApiRequest): ApiAnswer {
  request.broker.permissions.get(vhostOf(request).name)?.delete(request.params[1]!)
  return noContent
}

export function readPermission(body: JsonObject): Permission {
  return {
    configure: readPatternIn(body, 'configure'),
    write: readPatternIn(body, 'write'),
    read: readPatternIn(body, 'read'),
  }
}

function readPatternIn(body: JsonObject, name: keyof Permission): string {
  const pattern = requiredText(body, name)
  const read = readPattern(pattern)
  if (read.kind === 'invalid') throw badRequest(`${name} is no regular expression: ${pattern}`)
  if (read.kind === 'not-modelled') throw badRequest(sayNotModelled(read.part))
  return pattern
}

export function readUser(name: string, body: JsonObject): User {
  return { name, tags: readTags(body.tags), credentials: readCredentials(body) }
}

export function renderUser(user: User, limits: Limits | undefined): JsonObject {
  const { credentials } = user
  const passwordHash =
    credentials.kind === 'password' ? hashPassword(credentials.password) : credentials.passwordHash
  return {
    name: user.name,
    password_hash: passwordHash,
    hashing_algorithm: credentials.kind === 'hash' ? credentials.algorithm : 'rabbit_password_hashing_sha256',
    tags: user.tags,
    limits: renderLimits(limits),
  }
}

function findUser({ broker, params }: ApiRequest): User {
  const user = broker.users.get(params[0] ?? '')
  if (!user) throw notFound()
  return user
}

/** Tags come as a list, or as text with commas. */
function readTags(tags: Json | undefined): readonly string[] {
  if (Array.isArray(tags)) return (tags as readonly Json[]).map(String)
  return typeof tags === 'string' ? tags.split(',').flatMap((tag) => tag.trim() || []) : []
}

function readCredentials(body: JsonObject): Credentials {
  const password = text(body, 'password')
  if (password !== undefined) return { kind: 'password', password }
  const passwordHash = text(body, 'password_hash')
  if (passwordHash === undefined) throw badRequest('password or password_hash is required')
  const algorithm = text(body, 'hashing_algorithm') ?? 'rabbit_password_hashing_sha256'
  return { kind: 'hash', passwordHash, algorithm }
}
