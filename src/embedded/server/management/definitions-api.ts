import { bind } from '../../model/bind.ts'
import { addVhost, type Broker, grant } from '../../model/broker.ts'
import { declareExchange } from '../../model/declare-exchange.ts'
import { createQueue } from '../../model/declare-queue.ts'
import type { ManagementRules } from '../../model/profile.ts'
import type { Vhost } from '../../model/vhost.ts'
import {
  type ApiAnswer,
  ApiRefusal,
  type ApiRequest,
  actorOf,
  badRequest,
  flag,
  type JsonObject,
  listIn,
  noContent,
  objectIn,
  ok,
  requiredText,
  text,
  vhostOf,
} from './api-request.ts'
import { renderExchange } from './exchanges-api.ts'
import { jsonToTable, tableToJson } from './json-fields.ts'
import { readPolicy, renderPolicy, setPolicy } from './policies-api.ts'
import { readPermission, readUser, renderUser } from './users-api.ts'
import { describeVhost } from './vhosts-api.ts'

export function exportDefinitions({ broker }: ApiRequest): ApiAnswer {
  const rules = broker.profile.management
  const vhosts = [...broker.vhosts.values()]
  return ok({
    ...versionFields(broker),
    users: [...broker.users.values()].map(renderUser),
    vhosts: vhosts.map(({ name, description, tags }) => ({ name, metadata: { description, tags } })),
    permissions: [...broker.permissions].flatMap(([vhost, byUser]) =>
      [...byUser].map(([user, permission]) => ({ user, vhost, ...permission })),
    ),
    topic_permissions: [],
    parameters: [],
    global_parameters: [],
    policies: vhosts.flatMap((vhost) =>
      [...vhost.policies.values()].map((policy) => renderPolicy(vhost, policy)),
    ),
    queues: vhosts.flatMap((vhost) =>
      queuesOf(vhost, rules).map((queue) => ({ ...queue, vhost: vhost.name })),
    ),
    exchanges: vhosts.flatMap((vhost) =>
      exchangesOf(vhost, rules).map((exchange) => ({ ...exchange, vhost: vhost.name })),
    ),
    bindings: vhosts.flatMap((vhost) =>
      bindingsOf(vhost).map((binding) => ({ ...binding, vhost: vhost.name })),
    ),
  })
}

export function exportVhostDefinitions(request: ApiRequest): ApiAnswer {
  const vhost = vhostOf(request)
  const rules = request.broker.profile.management
  return ok({
    ...versionFields(request.broker),
    parameters: [],
    policies: [...vhost.policies.values()].map((policy) => {
      const { vhost: name, ...rest } = renderPolicy(vhost, policy)
      return rules.exportsVhostOfPolicies ? { ...rest, vhost: name } : rest
    }),
    queues: queuesOf(vhost, rules),
    exchanges: exchangesOf(vhost, rules),
    bindings: bindingsOf(vhost),
  })
}

export function importDefinitions(request: ApiRequest): ApiAnswer {
  importAll(request, (item) => findVhost(request.broker, requiredText(item, 'vhost')))
  return noContent
}

/** What an import needs of the request it comes with. */
type Import = Pick<ApiRequest, 'broker' | 'user' | 'body'>

/** What exists already is left as it is, even where it differs: importing is not applying. */
export function importAll(request: Import, vhostFor: (item: JsonObject) => Vhost): void {
  const { broker, body } = request
  for (const user of listIn(body, 'users')) {
    const name = requiredText(user, 'name')
    broker.users.set(name, readUser(name, user))
  }
  for (const vhost of listIn(body, 'vhosts')) {
    const name = requiredText(vhost, 'name')
    describeVhost(broker.vhosts.get(name) ?? addVhost(broker, name), {
      ...vhost,
      ...objectIn(vhost, 'metadata'),
    })
  }
  for (const permission of listIn(body, 'permissions')) {
    grant(broker, {
      vhost: requiredText(permission, 'vhost'),
      user: requiredText(permission, 'user'),
      permission: readPermission(permission),
    })
  }
  importObjects(request, vhostFor)
}

export function importVhostDefinitions(request: ApiRequest): ApiAnswer {
  const vhost = request.broker.vhosts.get(request.params[0]!)
  if (!vhost) throw new ApiRefusal(404, 'not_found', 'vhost_not_found')
  importObjects(request, () => vhost)
  return noContent
}

function importObjects(request: Import, vhostFor: (item: JsonObject) => Vhost): void {
  const { body } = request
  for (const item of listIn(body, 'policies')) {
    setPolicy(request, vhostFor(item), 'policies', readPolicy(requiredText(item, 'name'), item))
  }
  for (const item of listIn(body, 'queues')) importQueue(request, vhostFor(item), item)
  for (const item of listIn(body, 'exchanges')) importExchange(request, vhostFor(item), item)
  for (const item of listIn(body, 'bindings')) importBinding(request, vhostFor(item), item)
}

function importQueue(request: Import, vhost: Vhost, item: JsonObject): void {
  const queue = requiredText(item, 'name')
  if (vhost.queues.has(queue)) return
  createQueue(actorOf(request, vhost), {
    queue,
    durable: flag(item, 'durable', true),
    exclusive: false,
    autoDelete: flag(item, 'auto_delete', false),
    arguments: jsonToTable(objectIn(item, 'arguments')),
  })
}

function importExchange(request: Import, vhost: Vhost, item: JsonObject): void {
  const exchange = requiredText(item, 'name')
  if (vhost.exchanges.has(exchange) || exchange.startsWith('amq.')) return
  declareExchange(actorOf(request, vhost), {
    exchange,
    type: requiredText(item, 'type'),
    durable: flag(item, 'durable', true),
    autoDelete: flag(item, 'auto_delete', false),
    internal: flag(item, 'internal', false),
    arguments: jsonToTable(objectIn(item, 'arguments')),
  })
}

function importBinding(request: Import, vhost: Vhost, item: JsonObject): void {
  bind(actorOf(request, vhost), {
    source: requiredText(item, 'source'),
    destination: requiredText(item, 'destination'),
    destinationKind: text(item, 'destination_type') === 'exchange' ? 'exchange' : 'queue',
    routingKey: text(item, 'routing_key') ?? '',
    arguments: jsonToTable(objectIn(item, 'arguments')),
  })
}

export function findVhost(broker: Broker, name: string): Vhost {
  const vhost = broker.vhosts.get(name)
  if (!vhost) throw badRequest(`Virtual host '${name}' does not exist`)
  return vhost
}

function versionFields({ profile }: Broker): JsonObject {
  return {
    rabbit_version: profile.version,
    rabbitmq_version: profile.version,
    product_name: 'RabbitMQ',
    product_version: profile.version,
  }
}

/** Only what survives a restart is exported. */
function queuesOf(vhost: Vhost, { knowsInternalQueues }: ManagementRules): readonly JsonObject[] {
  return [...vhost.queues.values()]
    .filter((queue) => queue.isDurable && !queue.owner)
    .map((queue) => ({
      name: queue.name,
      durable: true,
      auto_delete: queue.isAutoDelete,
      ...(knowsInternalQueues ? { type: queue.kind } : {}),
      arguments: tableToJson(queue.arguments),
    }))
}

function exchangesOf(vhost: Vhost, { knowsInternalQueues }: ManagementRules): readonly JsonObject[] {
  return [...vhost.exchanges.values()]
    .filter((exchange) => exchange.isDurable && exchange.name !== '' && !exchange.name.startsWith('amq.'))
    .filter((exchange) => !(knowsInternalQueues && exchange.isInternal))
    .map((exchange) => {
      const { name, type, durable, auto_delete, internal, arguments: args } = renderExchange(vhost, exchange)
      const told = { name, type, durable, auto_delete, arguments: args }
      return knowsInternalQueues ? told : { ...told, internal }
    })
}

function bindingsOf(vhost: Vhost): readonly JsonObject[] {
  return [...vhost.bindings.values()]
    .filter(({ source, destination }) => source.isDurable && destination.isDurable)
    .map((binding) => ({
      source: binding.source.name,
      destination: binding.destination.name,
      destination_type: binding.destination.resourceKind,
      routing_key: binding.routingKey,
      arguments: tableToJson(binding.arguments),
    }))
}
