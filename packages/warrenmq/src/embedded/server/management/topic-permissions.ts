import { grantTopics, listTopicPermissions } from '../../model/access/demand-topic.ts'
import { readPattern } from '../../model/access/name-pattern.ts'
import type { TopicPermission } from '../../model/access/topic-permission.ts'
import type { Broker } from '../../model/broker.ts'
import {
  type ApiAnswer,
  type ApiRequest,
  badRequest,
  type JsonObject,
  noContent,
  notFound,
  ok,
  text,
  vhostOf,
} from './api-request.ts'

export function listAllTopicPermissions({ broker }: ApiRequest): ApiAnswer {
  return ok(listTopicPermissions(broker).map(asJson))
}

export function listVhostTopicPermissions(request: ApiRequest): ApiAnswer {
  const { name } = vhostOf(request)
  return ok(
    listTopicPermissions(request.broker)
      .filter(({ vhost }) => vhost === name)
      .map(asJson),
  )
}

export function listUserTopicPermissions({ broker, params }: ApiRequest): ApiAnswer {
  const [name] = params
  if (!broker.users.has(name!)) throw notFound()
  return ok(
    listTopicPermissions(broker)
      .filter(({ user }) => user === name)
      .map(asJson),
  )
}

export function showTopicPermissions(request: ApiRequest): ApiAnswer {
  const found = ofUser(request)
  if (found.length === 0) throw notFound()
  return ok(found.map(asJson))
}

export function putTopicPermission(request: ApiRequest): ApiAnswer {
  const permission = readTopicPermission(request.body)
  const [vhost, user] = request.params as [string, string]
  if (!request.broker.vhosts.has(vhost) || !request.broker.users.has(user)) {
    throw badRequest('vhost_or_user_not_found')
  }
  const isNew = ofUser(request).length === 0
  grantTopics(request.broker, { vhost, user, permission })
  return isNew ? { status: 201 } : noContent
}

export function deleteTopicPermissions({ broker, params }: ApiRequest): ApiAnswer {
  broker.topicPermissions.get(params[0]!)?.delete(params[1]!)
  return noContent
}

/** One of a definitions file. */
export function importTopicPermission(broker: Broker, item: JsonObject): void {
  const [vhost, user] = [text(item, 'vhost') ?? '/', text(item, 'user') ?? '']
  if (!broker.vhosts.has(vhost) || !broker.users.has(user)) throw badRequest('vhost_or_user_not_found')
  grantTopics(broker, { vhost, user, permission: readTopicPermission(item) })
}

function readTopicPermission(body: JsonObject): TopicPermission {
  const missing = ['exchange', 'write', 'read'].filter((name) => text(body, name) === undefined)
  if (missing.length > 0) throw badRequest(`[${missing.map((name) => `{key_missing,${name}}`).join(',')}]`)
  const permission = { exchange: body.exchange, write: body.write, read: body.read } as TopicPermission
  for (const pattern of [permission.write, permission.read]) {
    if (readPattern(pattern).kind !== 'pattern') throw badRequest(`invalid_regexp: ${pattern}`)
  }
  return permission
}

function ofUser({ broker, params }: ApiRequest): ReturnType<typeof listTopicPermissions> {
  return listTopicPermissions(broker).filter(({ vhost, user }) => vhost === params[0] && user === params[1])
}

function asJson({ user, vhost, exchange, write, read }: ReturnType<typeof ofUser>[number]): JsonObject {
  return { user, vhost, exchange, write, read }
}
