import type { Actor } from '../../model/access/actor.ts'
import type { Broker } from '../../model/broker.ts'
import { addVhost, grant } from '../../model/create-broker.ts'
import { bind } from '../../model/exchange/bind.ts'
import { declareExchange } from '../../model/exchange/declare-exchange.ts'
import { ProtocolError } from '../../model/protocol-error.ts'
import { createQueue } from '../../model/queue/declare-queue.ts'
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
  requiredText,
  text,
} from './api-request.ts'
import { jsonToTable } from './field-to-json.ts'
import { readLimits, setVhostLimits } from './limits.ts'
import { readPolicy, setPolicy } from './policies-api.ts'
import { importTopicPermission } from './topic-permissions.ts'
import { readPermission, readUser } from './users.ts'
import { describeVhost } from './vhosts.ts'

export function importDefinitions(request: ApiRequest): ApiAnswer {
  importAll(request, (item) => findVhost(request.broker, requiredText(item, 'vhost')))
  return noContent
}

export function importVhostDefinitions(request: ApiRequest): ApiAnswer {
  const vhost = request.broker.vhosts.get(request.params[0]!)
  if (!vhost) throw new ApiRefusal(404, 'not_found', 'vhost_not_found')
  importObjects(request, () => vhost)
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
    const limits = readLimits('user', objectIn(user, 'limits'), badRequest)
    if (limits.size > 0) broker.userLimits.set(name, limits)
  }
  for (const item of listIn(body, 'vhosts')) {
    const name = requiredText(item, 'name')
    const vhost = broker.vhosts.get(name) ?? addVhost(broker, name)
    describeVhost(vhost, { ...item, ...objectIn(item, 'metadata') }, broker.profile)
    if (Object.keys(objectIn(item, 'limits')).length > 0) setVhostLimits(vhost, item.limits)
  }
  for (const permission of listIn(body, 'permissions')) importPermission(broker, permission)
  for (const item of listIn(body, 'topic_permissions')) importTopicPermission(broker, item)
  for (const { name, value = null } of listIn(body, 'global_parameters')) {
    broker.globalParameters.set(String(name), value)
  }
  importObjects(request, vhostFor)
}

export function findVhost(broker: Broker, name: string): Vhost {
  const vhost = broker.vhosts.get(name)
  if (!vhost) throw badRequest(`Please create virtual host "${name}" prior to importing definitions.`)
  return vhost
}

function importPermission(broker: Broker, item: JsonObject): void {
  const { name: vhost } = findVhost(broker, requiredText(item, 'vhost'))
  const user = requiredText(item, 'user')
  if (!broker.users.has(user)) throw badRequest(`There is no user "${user}".`)
  grant(broker, { vhost, user, permission: readPermission(item) })
}

function importObjects(request: Import, vhostFor: (item: JsonObject) => Vhost): void {
  const { body } = request
  for (const item of listIn(body, 'parameters')) importParameter(request, vhostFor(item), item)
  for (const item of listIn(body, 'policies')) {
    setPolicy(request, vhostFor(item), 'policies', readPolicy(requiredText(item, 'name'), item))
  }
  try {
    for (const item of listIn(body, 'queues')) importQueue(request, vhostFor(item), item)
    for (const item of listIn(body, 'exchanges')) importExchange(request, vhostFor(item), item)
    for (const item of listIn(body, 'bindings')) importBinding(request, vhostFor(item), item)
  } catch (error) {
    // Whatever is wrong with an object, it is the file that is refused.
    throw error instanceof ProtocolError
      ? badRequest(`${error.condition.toLowerCase()}: ${error.message}`)
      : error
  }
}

/** Shovels and the like belong to plugins, which are not there. */
function importParameter(request: Import, vhost: Vhost, item: JsonObject): void {
  const [component, name] = [requiredText(item, 'component'), requiredText(item, 'name')]
  if (component === 'operator_policy') {
    setPolicy(request, vhost, 'operatorPolicies', readPolicy(name, objectIn(item, 'value')))
    return
  }
  if (component === 'vhost-limits') {
    setVhostLimits(vhost, item.value)
    return
  }
  throw badRequest(
    `Validation failed\n\ncomponent ${component} not found\n (${vhost.name}/${component}/${name})`,
  )
}

function importQueue(request: Import, vhost: Vhost, item: JsonObject): void {
  const queue = requiredText(item, 'name')
  if (vhost.queues.has(queue)) return
  createQueue(importerOf(request, vhost), {
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
  declareExchange(importerOf(request, vhost), {
    exchange,
    type: requiredText(item, 'type'),
    durable: flag(item, 'durable', true),
    autoDelete: flag(item, 'auto_delete', false),
    internal: flag(item, 'internal', false),
    arguments: jsonToTable(objectIn(item, 'arguments')),
  })
}

function importBinding(request: Import, vhost: Vhost, item: JsonObject): void {
  const wanted = {
    source: requiredText(item, 'source'),
    destination: requiredText(item, 'destination'),
    destinationKind: text(item, 'destination_type') === 'exchange' ? 'exchange' : 'queue',
    routingKey: text(item, 'routing_key') ?? '',
    arguments: jsonToTable(objectIn(item, 'arguments')),
  } as const
  const targets = wanted.destinationKind === 'queue' ? vhost.queues : vhost.exchanges
  const isLoose = !vhost.exchanges.has(wanted.source) || !targets.has(wanted.destination)
  if (isLoose && request.broker.profile.management.skipsLooseBindings) return
  bind(importerOf(request, vhost), wanted)
}

/** An import does what the file says, whatever the one who sends it may do in the vhost. */
function importerOf(request: Import, vhost: Vhost): Actor {
  return { ...actorOf(request, vhost), isTrusted: true }
}
