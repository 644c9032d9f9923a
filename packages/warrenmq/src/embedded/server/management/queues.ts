import { declareQueue, deleteQueue, purgeQueue } from '../../model/queue/declare-queue.ts'
import type { Queue, QueueCounts } from '../../model/queue/queue.ts'
import { answerList } from './answer-list.ts'
import {
  type ApiAnswer,
  type ApiRequest,
  type ApiScope,
  actorOf,
  flag,
  type JsonObject,
  noContent,
  notFound,
  objectIn,
  ok,
  vhostOf,
} from './api-request.ts'
import { vhostsOf } from './check-route-access.ts'
import { renderConsumers } from './consumers.ts'
import { jsonToTable, tableToJson } from './field-to-json.ts'

export function listQueues(request: ApiRequest): ApiAnswer {
  const vhosts = vhostsOf(request)
  const queues = vhosts.flatMap((vhost) => [...vhost.queues.values()])
  return answerList(
    queues.map((queue) => renderQueue(request, queue)),
    request.query,
  )
}

export function showQueue(request: ApiRequest): ApiAnswer {
  const queue = findQueue(request)
  return ok({ ...renderQueue(request, queue), consumer_details: renderConsumers(request, queue) })
}

export function putQueue(request: ApiRequest): ApiAnswer {
  const vhost = vhostOf(request)
  const name = request.params[1]!
  const isNew = !vhost.queues.has(name)
  declareQueue(actorOf(request, vhost), {
    queue: name,
    durable: flag(request.body, 'durable', false),
    exclusive: false,
    autoDelete: flag(request.body, 'auto_delete', false),
    arguments: jsonToTable(objectIn(request.body, 'arguments')),
  })
  return isNew ? { status: 201 } : noContent
}

export function removeQueueByApi(request: ApiRequest): ApiAnswer {
  const queue = findQueue(request)
  deleteQueue(actorOf(request, vhostOf(request)), {
    queue: queue.name,
    ifUnused: request.query.get('if-unused') === 'true',
    ifEmpty: request.query.get('if-empty') === 'true',
  })
  return noContent
}

export function purgeQueueByApi(request: ApiRequest): ApiAnswer {
  const queue = findQueue(request)
  purgeQueue(actorOf(request, vhostOf(request)), queue.name)
  return noContent
}

export function findQueue(request: ApiRequest): Queue {
  const queue = vhostOf(request).queues.get(request.params[1] ?? '')
  if (!queue) throw notFound()
  return queue
}

export function renderQueue({ broker, nodeName }: ApiScope, queue: Queue): JsonObject {
  return {
    name: queue.name,
    vhost: queue.vhost,
    type: queue.kind,
    durable: queue.isDurable,
    auto_delete: queue.isAutoDelete,
    exclusive: queue.owner !== undefined,
    ...(broker.profile.management.knowsInternalQueues ? { internal: false } : {}),
    arguments: tableToJson(queue.arguments),
    node: nodeName,
    state: 'running',
    policy: queue.policy().policy ?? null,
    operator_policy: queue.policy().operatorPolicy ?? null,
    effective_policy_definition: queue.policy().definition,
    ...renderCounts(queue.counts()),
    ...(queue.kind === 'classic' ? {} : { leader: nodeName, members: [nodeName], online: [nodeName] }),
    ...(queue.kind === 'quorum' ? renderQuorum(queue, broker.profile.settings.isNegativeLimitUnlimited) : {}),
  }
}

function renderCounts(counts: QueueCounts): JsonObject {
  return {
    consumers: counts.consumers,
    messages: counts.ready + counts.unacknowledged + counts.deadLetters + counts.delayed,
    messages_ready: counts.ready,
    messages_unacknowledged: counts.unacknowledged,
    message_bytes: counts.readyBytes + counts.unacknowledgedBytes + counts.deadLetterBytes,
    message_bytes_ready: counts.readyBytes,
    message_bytes_unacknowledged: counts.unacknowledgedBytes,
  }
}

/** From 4.0 on a quorum queue shows the limit that holds. */
function renderQuorum(queue: Queue, showsLimit: boolean): JsonObject {
  const counts = queue.counts()
  return {
    messages_dlx: counts.deadLetters,
    message_bytes_dlx: counts.deadLetterBytes,
    messages_delayed: counts.delayed,
    ...(showsLimit ? { delivery_limit: queue.settings().deliveryLimit ?? 'unlimited' } : {}),
  }
}
