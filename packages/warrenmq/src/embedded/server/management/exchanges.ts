import { declareExchange, deleteExchange } from '../../model/exchange/declare-exchange.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Vhost } from '../../model/vhost.ts'
import { answerList } from './answer-list.ts'
import {
  type ApiAnswer,
  type ApiRequest,
  actorOf,
  flag,
  type JsonObject,
  noContent,
  notFound,
  objectIn,
  ok,
  requiredText,
  vhostOf,
} from './api-request.ts'
import { vhostsOf } from './check-route-access.ts'
import { jsonToTable, tableToJson } from './field-to-json.ts'

export function listExchanges(request: ApiRequest): ApiAnswer {
  const vhosts = vhostsOf(request)
  const exchanges = vhosts.flatMap((vhost) =>
    [...vhost.exchanges.values()].map((exchange) => renderExchange(vhost, exchange)),
  )
  return answerList(exchanges, request.query)
}

export function showExchange(request: ApiRequest): ApiAnswer {
  return ok(renderExchange(vhostOf(request), findExchangeByPath(request)))
}

export function putExchange(request: ApiRequest): ApiAnswer {
  const vhost = vhostOf(request)
  const name = exchangeName(request.params[1]!)
  const isNew = !vhost.exchanges.has(name)
  declareExchange(actorOf(request, vhost), {
    exchange: name,
    type: requiredText(request.body, 'type'),
    durable: flag(request.body, 'durable', false),
    autoDelete: flag(request.body, 'auto_delete', false),
    internal: flag(request.body, 'internal', false),
    arguments: jsonToTable(objectIn(request.body, 'arguments')),
  })
  return isNew ? { status: 201 } : noContent
}

export function removeExchangeByApi(request: ApiRequest): ApiAnswer {
  const { name } = findExchangeByPath(request)
  const ifUnused = request.query.get('if-unused') === 'true'
  deleteExchange(actorOf(request, vhostOf(request)), { exchange: name, ifUnused })
  return noContent
}

export function findExchangeByPath(request: ApiRequest): Exchange {
  const exchange = vhostOf(request).exchanges.get(exchangeName(request.params[1]!))
  if (!exchange) throw notFound()
  return exchange
}

/** A path cannot hold an empty name, so the default exchange is called amq.default there. */
export function exchangeName(segment: string): string {
  return segment === 'amq.default' ? '' : segment
}

export function renderExchange(vhost: Vhost, exchange: Exchange): JsonObject {
  return {
    name: exchange.name,
    vhost: vhost.name,
    type: exchange.type,
    durable: exchange.isDurable,
    auto_delete: exchange.isAutoDelete,
    internal: exchange.isInternal,
    arguments: tableToJson(exchange.arguments),
    policy: exchange.policy.policy ?? null,
    user_who_performed_action: 'rmq-internal',
  }
}
