import { decodeShownTable } from '../wire/decode-table.ts'
import { type PlainField, toPlainTable } from '../wire/plain-fields.ts'
import { decodeProperties, type Properties } from '../wire/properties.ts'
import type { Broker } from './model/broker.ts'
import type { Queue, QueueCounts } from './model/queue/queue.ts'

/** A message as it lies in a queue. */
export interface InspectedMessage {
  /** The exchange that it came through. */
  readonly exchange: string
  /** Its routing key. */
  readonly routingKey: string
  /** Its properties without the headers. */
  readonly properties: Omit<Properties, 'headers'>
  /** Its headers, in plain values. */
  readonly headers: Readonly<Record<string, PlainField>>
  /** Its body. */
  readonly body: Buffer
}

/** What is in a queue, without touching it. */
export interface InspectedQueue {
  /** How many messages and consumers the queue has. */
  readonly counts: QueueCounts
  /** What is ready, in the order of delivery. */
  readonly messages: readonly InspectedMessage[]
}

/** Gives undefined when there is no such queue. */
export function inspectQueue(
  broker: Broker,
  { vhost, queue: name }: { vhost: string; queue: string },
): InspectedQueue | undefined {
  const queue = broker.vhosts.get(vhost)?.queues.get(name)
  return queue && { counts: queue.counts(), messages: queue.messages().map(inspectMessage) }
}

function inspectMessage({ message }: ReturnType<Queue['messages']>[number]): InspectedMessage {
  const { headers, ...properties } = decodeProperties(message.properties)
  return {
    exchange: message.exchange,
    routingKey: message.routingKeys[0]!,
    properties,
    headers: headers ? toPlainTable(decodeShownTable(headers)) : {},
    body: Buffer.isBuffer(message.body) ? message.body : Buffer.concat(message.body),
  }
}
