import { addVhost, grant, removeQueue } from '../../model/create-broker.ts'
import type { Profile } from '../../model/profile.ts'
import { ProtocolError } from '../../model/protocol-error.ts'
import type { Vhost } from '../../model/vhost.ts'
import {
  type ApiAnswer,
  ApiRefusal,
  type ApiRequest,
  type ApiScope,
  badRequest,
  type Json,
  type JsonObject,
  noContent,
  ok,
  text,
  vhostOf,
} from './api-request.ts'
import { isAccessible, isMonitor } from './check-route-access.ts'

/** Who watches the broker sees that a vhost is there, though not what is in it. */
export function listVhosts(request: ApiRequest): ApiAnswer {
  const { broker, user } = request
  const shown = [...broker.vhosts.values()].filter(
    ({ name }) => isMonitor(user) || isAccessible(request, name),
  )
  return ok(shown.map((vhost) => renderVhost(request, vhost)))
}

export function showVhost(request: ApiRequest): ApiAnswer {
  return ok(renderVhost(request, vhostOf(request)))
}

/** Whoever makes a vhost may do everything in it. */
export function putVhost({ broker, params, body, user }: ApiRequest): ApiAnswer {
  const existing = broker.vhosts.get(params[0]!)
  const vhost = existing ?? addVhost(broker, params[0]!)
  describeVhost(vhost, body, broker.profile)
  if (existing) return noContent
  grant(broker, { vhost: vhost.name, user: user.name, permission: everything })
  return { status: 201 }
}

const everything = { configure: '.*', write: '.*', read: '.*' }

/** A vhost goes with all that is in it, and with those who are connected to it. */
export function deleteVhost(request: ApiRequest): ApiAnswer {
  const vhost = vhostOf(request)
  const { broker } = request
  for (const connection of request.connections()) {
    if (connection.vhost() !== vhost.name) continue
    connection.close(new ProtocolError('CONNECTION_FORCED', `vhost '${vhost.name}' is deleted`))
  }
  for (const queue of [...vhost.queues.values()]) removeQueue(broker, vhost, queue)
  broker.vhosts.delete(vhost.name)
  broker.permissions.delete(vhost.name)
  broker.topicPermissions.delete(vhost.name)
  return noContent
}

export function describeVhost(vhost: Vhost, body: JsonObject, profile: Profile): void {
  vhost.description = text(body, 'description') ?? vhost.description
  const tags = body.tags
  if (typeof tags === 'string') vhost.tags = tags === '' ? [] : tags.split(',')
  if (Array.isArray(tags)) vhost.tags = (tags as readonly Json[]).map(String)
  const type = text(body, 'default_queue_type')
  if (type === undefined || type === 'undefined' || !profile.hasDefaultQueueType) return
  if (!queueTypes.includes(type)) {
    throw profile.badDefaultQueueType === 'refused'
      ? badRequest(`${type} is not a valid queue type`)
      : new ApiRefusal(500, 'internal_error', `${type} is not a valid queue type`)
  }
  vhost.defaultQueueType = type
}

const queueTypes = ['classic', 'quorum', 'stream']

export function renderMetadata({ description, tags, defaultQueueType }: Vhost): JsonObject {
  const type = defaultQueueType === undefined ? {} : { default_queue_type: defaultQueueType }
  return { description, tags, ...type }
}

function renderVhost({ nodeName }: ApiScope, vhost: Vhost): JsonObject {
  const counts = [...vhost.queues.values()].map((queue) => queue.counts())
  const ready = counts.reduce((sum, count) => sum + count.ready, 0)
  const unacknowledged = counts.reduce((sum, count) => sum + count.unacknowledged, 0)
  return {
    name: vhost.name,
    description: vhost.description,
    tags: vhost.tags,
    default_queue_type: vhost.defaultQueueType ?? 'undefined',
    metadata: renderMetadata(vhost),
    tracing: false,
    cluster_state: { [nodeName]: 'running' },
    messages: ready + unacknowledged,
    messages_ready: ready,
    messages_unacknowledged: unacknowledged,
  }
}
