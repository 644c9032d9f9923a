import { type BindRequest, bind, unbind } from '../../model/exchange/bind.ts'
import type { Binding } from '../../model/exchange/exchange.ts'
import { hashTable } from '../../model/exchange/hash-table.ts'
import { sortTable } from '../../model/message/terms.ts'
import type { Vhost } from '../../model/vhost.ts'
import {
  type ApiAnswer,
  type ApiRequest,
  actorOf,
  type JsonObject,
  noContent,
  notFound,
  objectIn,
  ok,
  text,
  vhostOf,
} from './api-request.ts'
import { vhostsOf } from './check-route-access.ts'
import { exchangeName, findExchangeByPath } from './exchanges.ts'
import { jsonToTable, tableToJson } from './field-to-json.ts'
import { findQueue } from './queues.ts'

interface ShownBinding {
  readonly vhost: string
  readonly source: string
  readonly destination: string
  readonly destinationKind: 'queue' | 'exchange'
  readonly routingKey: string
  readonly arguments: Binding['arguments']
}

export function listBindings(request: ApiRequest): ApiAnswer {
  const vhosts = vhostsOf(request)
  return ok(vhosts.flatMap(bindingsOf).map(renderBinding))
}

export function listQueueBindings(request: ApiRequest): ApiAnswer {
  const { name } = findQueue(request)
  return filtered(request, (binding) => binding.destinationKind === 'queue' && binding.destination === name)
}

export function listSourceBindings(request: ApiRequest): ApiAnswer {
  const { name } = findExchangeByPath(request)
  return filtered(request, (binding) => binding.source === name)
}

export function listDestinationBindings(request: ApiRequest): ApiAnswer {
  const { name } = findExchangeByPath(request)
  return filtered(
    request,
    (binding) => binding.destinationKind === 'exchange' && binding.destination === name,
  )
}

/** All bindings between one source and one destination. */
export function listBindingsBetween(request: ApiRequest): ApiAnswer {
  return ok(bindingsBetween(request).map(renderBinding))
}

export function postBinding(request: ApiRequest): ApiAnswer {
  const vhost = vhostOf(request)
  const wanted: BindRequest = {
    ...endsOf(request),
    routingKey: text(request.body, 'routing_key') ?? '',
    arguments: jsonToTable(objectIn(request.body, 'arguments')),
  }
  bind(actorOf(request, vhost), wanted)
  const key = propertiesKey(wanted.routingKey, wanted.arguments)
  return { status: 201, headers: { location: `${wanted.destination}/${encodeURIComponent(key)}` } }
}

export function showBinding(request: ApiRequest): ApiAnswer {
  return ok(renderBinding(findBinding(request)))
}

export function deleteBinding(request: ApiRequest): ApiAnswer {
  const { routingKey, arguments: args } = findBinding(request)
  unbind(actorOf(request, vhostOf(request)), { ...endsOf(request), routingKey, arguments: args })
  return noContent
}

/** Every queue is bound to the default exchange by its name, though nobody bound it. */
function bindingsOf(vhost: Vhost): readonly ShownBinding[] {
  const implicit = [...vhost.queues.values()].map((queue) => ({
    vhost: vhost.name,
    source: '',
    destination: queue.name,
    destinationKind: 'queue' as const,
    routingKey: queue.name,
    arguments: [],
  }))
  const explicit = [...vhost.bindings.values()].map((binding) => ({
    vhost: vhost.name,
    source: binding.source.name,
    destination: binding.destination.name,
    destinationKind: binding.destination.resourceKind,
    routingKey: binding.routingKey,
    arguments: binding.arguments,
  }))
  return [...implicit, ...explicit]
}

function filtered(request: ApiRequest, isShown: (binding: ShownBinding) => boolean): ApiAnswer {
  return ok(bindingsOf(vhostOf(request)).filter(isShown).map(renderBinding))
}

function endsOf({ params }: ApiRequest): Pick<BindRequest, 'source' | 'destination' | 'destinationKind'> {
  const [, source = '', kind = 'q', destination = ''] = params
  return {
    source: exchangeName(source),
    destination: kind === 'q' ? destination : exchangeName(destination),
    destinationKind: kind === 'q' ? 'queue' : 'exchange',
  }
}

function bindingsBetween(request: ApiRequest): readonly ShownBinding[] {
  const ends = endsOf(request)
  return bindingsOf(vhostOf(request)).filter(
    (binding) =>
      binding.source === ends.source &&
      binding.destination === ends.destination &&
      binding.destinationKind === ends.destinationKind,
  )
}

function findBinding(request: ApiRequest): ShownBinding {
  const key = request.params[4]
  const found = bindingsBetween(request).find(
    // A client may quote the key once more for its URL, as is right, or use it as it stands.
    ({ routingKey, arguments: args }) =>
      propertiesKey(routingKey, args) === key || (args.length === 0 && routingKey === key),
  )
  if (!found) throw notFound()
  return found
}

function renderBinding(binding: ShownBinding): JsonObject {
  return {
    source: binding.source,
    vhost: binding.vhost,
    destination: binding.destination,
    destination_type: binding.destinationKind,
    routing_key: binding.routingKey,
    arguments: tableToJson(binding.arguments),
    properties_key: propertiesKey(binding.routingKey, binding.arguments),
  }
}

/** What tells one binding from another between the same two ends. */
function propertiesKey(routingKey: string, args: Binding['arguments']): string {
  const quoted = quote(routingKey)
  if (args.length === 0) return quoted === '' ? '~' : quoted
  const hash = Buffer.alloc(4)
  hash.writeUInt32BE(hashTable(sortTable(args)))
  return `${quoted}~${hash.toString('base64url')}`
}

/** RabbitMQ leaves fewer characters as they are than a URL would. */
function quote(routingKey: string): string {
  const asHex = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(routingKey).replaceAll(/[!'()*~]/g, asHex)
}
