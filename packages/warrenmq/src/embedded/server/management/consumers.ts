import type { Consumer, Queue } from '../../model/queue/queue.ts'
import type { AmqpConnection } from '../amqp-connection.ts'
import { type ApiAnswer, type ApiRequest, type JsonObject, ok } from './api-request.ts'
import { vhostsOf } from './check-route-access.ts'
import { tableToJson } from './field-to-json.ts'

/** Every consumer, or those of one vhost. */
export function listConsumers(request: ApiRequest): ApiAnswer {
  const queues = vhostsOf(request).flatMap((vhost) => [...vhost.queues.values()])
  return ok(queues.flatMap((queue) => renderConsumers(request, queue)))
}

export function renderConsumers(request: ApiRequest, queue: Queue): readonly JsonObject[] {
  return queue.consumers().map((consumer) => ({
    consumer_tag: consumer.tag,
    ack_required: !consumer.noAck,
    active: queue.isActive(consumer),
    activity_status: activityOf(queue, consumer),
    exclusive: consumer.isExclusive,
    prefetch_count: consumer.prefetch,
    arguments: tableToJson(consumer.arguments),
    queue: { name: queue.name, vhost: queue.vhost },
    channel_details: describeChannel(request, consumer),
    ...(request.broker.profile.addsQueueTypeArgument
      ? { consumer_timeout: consumer.timeoutMs ?? 1_800_000 }
      : {}),
  }))
}

function activityOf(queue: Queue, consumer: Consumer): string {
  if (!queue.settings().hasSingleActiveConsumer) return 'up'
  return queue.isActive(consumer) ? 'single_active' : 'waiting'
}

/** Where a client sits, as consumers and channels tell it. */
export function describeConnection({ name, peer }: AmqpConnection): JsonObject {
  return { name, peer_host: peer.host, peer_port: peer.port }
}

function describeChannel({ connections, nodeName }: ApiRequest, { channel }: Consumer): JsonObject {
  for (const connection of connections()) {
    for (const { model } of connection.channels.values()) {
      if (model.port !== channel) continue
      return {
        ...describeConnection(connection),
        name: `${connection.name} (${model.number})`,
        connection_name: connection.name,
        user: connection.user()?.name ?? null,
        node: nodeName,
        number: model.number,
      }
    }
  }
  return {}
}
