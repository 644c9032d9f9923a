import { demand } from '../../model/access/actor.ts'
import { type ApiAnswer, type ApiRequest, type JsonObject, ok } from './api-request.ts'
import { isAdministrator, notAdministrator } from './check-route-access.ts'
import { clientOf, tellRefusal } from './client-of.ts'

export function overview(request: ApiRequest): ApiAnswer {
  const { broker, nodeName, clusterName, amqpPort, managementPort } = request
  const { version, erlangVersion } = broker.profile
  const vhosts = [...broker.vhosts.values()]
  const queues = vhosts.flatMap((vhost) => [...vhost.queues.values()])
  const counts = queues.map((queue) => queue.counts())
  const ready = counts.reduce((sum, each) => sum + each.ready, 0)
  const unacknowledged = counts.reduce((sum, each) => sum + each.unacknowledged, 0)
  const connections = [...request.connections()]
  return ok({
    management_version: version,
    rabbitmq_version: version,
    product_name: 'RabbitMQ',
    product_version: version,
    erlang_version: erlangVersion,
    cluster_name: clusterName,
    node: nodeName,
    rates_mode: 'none',
    exchange_types: ['direct', 'fanout', 'headers', 'topic'].map((name) => ({ name, enabled: true })),
    queue_totals: {
      messages: ready + unacknowledged,
      messages_ready: ready,
      messages_unacknowledged: unacknowledged,
    },
    object_totals: {
      channels: connections.reduce((sum, { channels }) => sum + channels.size, 0),
      connections: connections.length,
      consumers: counts.reduce((sum, each) => sum + each.consumers, 0),
      exchanges: vhosts.reduce((sum, { exchanges }) => sum + exchanges.size, 0),
      queues: queues.length,
    },
    listeners: [
      { node: nodeName, protocol: 'amqp', ip_address: '127.0.0.1', port: amqpPort },
      { node: nodeName, protocol: 'http', ip_address: '127.0.0.1', port: managementPort() },
    ],
  })
}

export function listNodes({ nodeName, faults }: ApiRequest): ApiAnswer {
  return ok([
    {
      name: nodeName,
      type: 'disc',
      running: true,
      mem_alarm: faults.blockedReason !== undefined,
      disk_free_alarm: false,
    },
  ])
}

export function clusterName(request: ApiRequest): ApiAnswer {
  return ok({ name: request.clusterName })
}

/** No flag of a version is ever off here: the profile is what the version does. */
export function featureFlags({ broker, user }: ApiRequest): ApiAnswer {
  if (broker.profile.management.hidesFeatureFlags && !isAdministrator(user)) throw notAdministrator()
  const names = ['stream_queue', 'quorum_queue', 'virtual_host_metadata', 'user_limits']
  return ok(
    names.map(
      (name): JsonObject => ({ name, state: 'enabled', stability: 'required', provided_by: 'rabbit' }),
    ),
  )
}

/** Up to 4.2 RabbitMQ tries it out with a queue of this name, which the user must be allowed to declare. */
export function aliveness(request: ApiRequest): ApiAnswer {
  const actor = clientOf(request)
  try {
    if (request.broker.profile.management.declaresToProveAlive)
      demand(actor, 'configure', { kind: 'queue', name: 'aliveness-test' })
  } catch (error) {
    throw tellRefusal(error)
  }
  return ok({ status: 'ok' })
}

export function healthy(): ApiAnswer {
  return ok({ status: 'ok' })
}

/** A block is an alarm. */
export function alarms({ faults, nodeName }: ApiRequest): ApiAnswer {
  if (faults.blockedReason === undefined) return ok({ status: 'ok' })
  return {
    status: 503,
    json: {
      status: 'failed',
      reason: 'resource alarm(s) in effect',
      alarms: [{ node: nodeName, resource: 'memory' }],
    },
  }
}
