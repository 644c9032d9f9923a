import { listTopicPermissions } from '../../model/access/demand-topic.ts'
import type { Broker } from '../../model/broker.ts'
import type { ManagementRules } from '../../model/profile.ts'
import type { Queue } from '../../model/queue/queue.ts'
import type { Vhost } from '../../model/vhost.ts'
import { type ApiAnswer, type ApiRequest, type Json, type JsonObject, ok, vhostOf } from './api-request.ts'
import { renderExchange } from './exchanges.ts'
import { tableToJson } from './field-to-json.ts'
import { renderLimits } from './limits.ts'
import { renderPolicy } from './policies-api.ts'
import { renderUser } from './users.ts'
import { renderMetadata } from './vhosts.ts'

/** The definitions of the whole broker. */
export function exportDefinitions({ broker, clusterName }: ApiRequest): ApiAnswer {
  const rules = broker.profile.management
  const vhosts = [...broker.vhosts.values()]
  const inVhost = (list: (vhost: Vhost) => readonly JsonObject[]) =>
    vhosts.flatMap((vhost) => list(vhost).map((item) => ({ ...item, vhost: vhost.name })))
  return ok({
    ...versionFields(broker),
    ...(rules.exportedVhosts === 'by-name'
      ? {}
      : {
          rabbitmq_definition_format: 'cluster',
          original_cluster_name: clusterName,
          explanation: `Definitions of cluster '${clusterName}'`,
        }),
    users: [...broker.users.values()].map((user) => renderUser(user, broker.userLimits.get(user.name))),
    vhosts: vhosts.map((vhost) => renderExportedVhost(vhost, rules)),
    permissions: [...broker.permissions].flatMap(([vhost, byUser]) =>
      [...byUser].map(([user, permission]) => ({ user, vhost, ...permission })),
    ),
    topic_permissions: listTopicPermissions(broker).map((permission) => ({ ...permission })),
    parameters: inVhost(parametersOf),
    global_parameters: [...broker.globalParameters].map(([name, value]) => ({ name, value: value as Json })),
    policies: inVhost(policiesOf),
    queues: inVhost((vhost) => queuesOf(vhost, rules)),
    exchanges: inVhost((vhost) => exchangesOf(vhost, rules)),
    bindings: inVhost(bindingsOf),
  })
}

export function exportVhostDefinitions(request: ApiRequest): ApiAnswer {
  const vhost = vhostOf(request)
  const rules = request.broker.profile.management
  const owned = (items: readonly JsonObject[]) =>
    rules.exportsVhostOfPolicies ? items.map((item) => ({ ...item, vhost: vhost.name })) : items
  return ok({
    ...describeExportedVhost(request.broker, vhost),
    parameters: owned(parametersOf(vhost)),
    policies: owned(policiesOf(vhost)),
    queues: queuesOf(vhost, rules),
    exchanges: exchangesOf(vhost, rules),
    bindings: bindingsOf(vhost),
  })
}

function versionFields({ profile }: Broker): JsonObject {
  return {
    rabbit_version: profile.version,
    rabbitmq_version: profile.version,
    product_name: 'RabbitMQ',
    product_version: profile.version,
  }
}

function renderExportedVhost(vhost: Vhost, { exportedVhosts }: ManagementRules): JsonObject {
  const { name, description, tags } = vhost
  if (exportedVhosts === 'by-name') return { name }
  const metadata = renderMetadata(vhost)
  if (exportedVhosts === 'with-limits') return { name, limits: renderLimits(vhost.limits), metadata }
  return { name, description, tags, default_queue_type: vhost.defaultQueueType ?? null, metadata }
}

function describeExportedVhost(broker: Broker, vhost: Vhost): JsonObject {
  const { exportedVhosts } = broker.profile.management
  if (exportedVhosts === 'by-name') return { rabbit_version: broker.profile.version }
  const { name, description, defaultQueueType = null } = vhost
  return {
    ...versionFields(broker),
    rabbitmq_definition_format: 'single_virtual_host',
    original_vhost_name: name,
    explanation: `Definitions of virtual host '${name}'`,
    metadata: renderMetadata(vhost),
    description,
    limits: vhost.limits || exportedVhosts === 'with-limits' ? renderLimits(vhost.limits) : [],
    ...(exportedVhosts === 'with-limits' ? {} : { default_queue_type: defaultQueueType }),
  }
}

function policiesOf(vhost: Vhost): readonly JsonObject[] {
  return [...vhost.policies.values()].map((policy) => {
    const { vhost: _, ...rest } = renderPolicy(vhost, policy)
    return rest
  })
}

/** Policies of operators and limits are stored as parameters, and that is how they are exported. */
function parametersOf(vhost: Vhost): readonly JsonObject[] {
  const policies = [...vhost.operatorPolicies.values()].map((policy) => {
    const { vhost: _, name, ...value } = renderPolicy(vhost, policy)
    return { component: 'operator_policy', name, value }
  })
  if (!vhost.limits) return policies
  return [...policies, { component: 'vhost-limits', name: 'limits', value: renderLimits(vhost.limits) }]
}

/** Everything is exported but what belongs to one connection. */
function queuesOf(vhost: Vhost, { knowsInternalQueues }: ManagementRules): readonly JsonObject[] {
  return [...vhost.queues.values()].filter(isExported).map((queue) => ({
    name: queue.name,
    durable: queue.isDurable,
    auto_delete: queue.isAutoDelete,
    ...(knowsInternalQueues ? { type: queue.kind } : {}),
    arguments: tableToJson(queue.arguments),
  }))
}

function isExported({ owner }: Queue): boolean {
  return !owner
}

function exchangesOf(vhost: Vhost, { knowsInternalQueues }: ManagementRules): readonly JsonObject[] {
  return [...vhost.exchanges.values()]
    .filter((exchange) => exchange.name !== '' && !exchange.name.startsWith('amq.'))
    .filter((exchange) => !(knowsInternalQueues && exchange.isInternal))
    .map((exchange) => {
      const { name, type, durable, auto_delete, internal, arguments: args } = renderExchange(vhost, exchange)
      const told = { name, type, durable, auto_delete, arguments: args }
      return knowsInternalQueues ? told : { ...told, internal }
    })
}

function bindingsOf(vhost: Vhost): readonly JsonObject[] {
  return [...vhost.bindings.values()]
    .filter(({ destination }) => destination.resourceKind === 'exchange' || isExported(destination))
    .map((binding) => ({
      source: binding.source.name,
      destination: binding.destination.name,
      destination_type: binding.destination.resourceKind,
      routing_key: binding.routingKey,
      arguments: tableToJson(binding.arguments),
    }))
}
