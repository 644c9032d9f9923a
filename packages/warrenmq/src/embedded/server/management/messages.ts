import type { Body } from '../../../wire/frame-writer.ts'
import type { RawProperties } from '../../../wire/properties.ts'
import { type Channel, type ChannelPeer, openChannel } from '../../model/channel/channel.ts'
import { closeChannel } from '../../model/channel/close-channel.ts'
import { get } from '../../model/channel/consume.ts'
import { publish } from '../../model/channel/publish.ts'
import { settle } from '../../model/channel/settle.ts'
import { ProtocolError } from '../../model/protocol-error.ts'
import type { Settlement } from '../../model/queue/queued-message.ts'
import {
  type ApiAnswer,
  ApiRefusal,
  type ApiRequest,
  badRequest,
  type JsonObject,
  objectIn,
  ok,
  requiredText,
  text,
  vhostOf,
} from './api-request.ts'
import { clientOf, tellRefusal } from './client-of.ts'
import { exchangeName } from './exchanges.ts'
import { jsonToProperties, propertiesToJson } from './properties-to-json.ts'

/** Fetches messages, and gives them back or not. On a quorum queue with a limit this counts, as it does there. */
export function getMessages(request: ApiRequest): ApiAnswer {
  demandKeys(request.body, ['count', 'ackmode', 'encoding'])
  const queue = vhostOf(request).queues.get(request.params[1]!)
  if (!queue) throw missing(request, 'queue')
  const count = Number(request.body.count)
  const settlement = readSettlement(request.body)
  const channel = openApiChannel(request)
  try {
    const messages: JsonObject[] = []
    const tags: number[] = []
    for (let left = count; left > 0; left -= 1) {
      const found = get(channel, { queue: queue.name, noAck: false })
      if (!found) break
      tags.push(found.deliveryTag)
      messages.push(renderMessage(found.fetched, request.body))
    }
    for (const deliveryTag of tags) settle(channel, { deliveryTag, multiple: false, settlement })
    return ok(messages)
  } catch (error) {
    throw tellRefusal(error)
  } finally {
    closeChannel(channel)
  }
}

export function publishMessage(request: ApiRequest): ApiAnswer {
  demandKeys(request.body, ['routing_key', 'properties', 'payload', 'payload_encoding'])
  const exchange = vhostOf(request).exchanges.get(exchangeName(request.params[1]!))
  if (!exchange) throw missing(request, 'exchange')
  let isRouted = true
  const channel = openApiChannel(request, () => {
    isRouted = false
  })
  try {
    const encoding = text(request.body, 'payload_encoding') ?? 'string'
    publish(channel, {
      exchange: exchange.name,
      routingKey: requiredText(request.body, 'routing_key'),
      mandatory: true,
      properties: jsonToProperties(objectIn(request.body, 'properties')),
      body: Buffer.from(requiredText(request.body, 'payload'), encoding === 'base64' ? 'base64' : 'utf8'),
    })
    return ok({ routed: isRouted })
  } catch (error) {
    throw error instanceof ProtocolError ? badRequest(`${error.replyCode} ${error.replyText}`) : error
  } finally {
    closeChannel(channel)
  }
}

function missing({ broker, params }: ApiRequest, kind: 'queue' | 'exchange'): ApiRefusal {
  if (broker.profile.management.namesMissingTargets) {
    return new ApiRefusal(404, 'not_found', `${kind}_not_found`)
  }
  const told = `NOT_FOUND - no ${kind} '${params[1]}' in vhost '${params[0]}'`
  return kind === 'queue' ? new ApiRefusal(404, 'not_found', told) : badRequest(`404 ${told}`)
}

/** RabbitMQ names all that is missing at once. */
function demandKeys(body: JsonObject, keys: readonly string[]): void {
  const absent = keys.filter((key) => body[key] === undefined)
  if (absent.length > 0) throw badRequest(`[${absent.map((key) => `{key_missing,${key}}`).join(',')}]`)
}

function openApiChannel(request: ApiRequest, onReturned: () => void = () => undefined): Channel {
  const peer: ChannelPeer = {
    deliver: () => undefined,
    deliverReply: () => undefined,
    confirm: () => undefined,
    refuse: () => undefined,
    returned: onReturned,
    consumerCancelled: () => undefined,
    closed: () => undefined,
    isWritable: () => true,
  }
  return openChannel({ actor: clientOf(request), peer, number: 1, supportsCancelNotify: false })
}

const settlements: Readonly<Record<string, Settlement>> = {
  ack_requeue_true: 'return',
  ack_requeue_false: 'ack',
  reject_requeue_true: 'reject-return',
  reject_requeue_false: 'reject-discard',
}

function readSettlement(body: JsonObject): Settlement {
  const mode = String(body.ackmode)
  const settlement = settlements[mode]
  if (!settlement) throw badRequest(`invalid ackmode: ${mode}`)
  return settlement
}

function renderMessage(
  { delivery, remaining }: NonNullable<ReturnType<typeof get>>['fetched'],
  body: JsonObject,
): JsonObject {
  const { message } = delivery.entry
  const payload = joinBody(message.body)
  const truncate = body.truncate === undefined ? payload.length : Number(body.truncate)
  return {
    payload_bytes: payload.length,
    redelivered: delivery.isRedelivered,
    exchange: message.exchange,
    routing_key: message.routingKeys[0]!,
    message_count: remaining,
    properties: propertiesToJson(delivery.properties as RawProperties),
    ...renderPayload(payload.subarray(0, truncate), text(body, 'encoding') ?? 'auto'),
  }
}

function renderPayload(payload: Buffer, encoding: string): JsonObject {
  const asText = payload.toString('utf8')
  const isText = encoding === 'auto' && Buffer.from(asText, 'utf8').equals(payload)
  return isText
    ? { payload: asText, payload_encoding: 'string' }
    : { payload: payload.toString('base64'), payload_encoding: 'base64' }
}

function joinBody(body: Body): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.concat(body)
}
