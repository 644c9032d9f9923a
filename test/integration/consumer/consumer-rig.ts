import { onTestFinished } from 'vitest'
import type { AmqpChannel } from '../../../packages/warrenmq/src/broker/amqp/channel.ts'
import {
  bindQueue,
  declareExchange,
  declareQueue,
  inspectQueue,
} from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import type { Consumer } from '../../../packages/warrenmq/src/consumer/consumer.ts'
import type { ConsumerOptions } from '../../../packages/warrenmq/src/consumer/consumer-options.ts'
import type { Handler } from '../../../packages/warrenmq/src/consumer/handler.ts'
import type { ConsumerEvents } from '../../../packages/warrenmq/src/consumer/observe/consumer-events.ts'
import { startConsumer } from '../../../packages/warrenmq/src/consumer/start-consumer.ts'
import type { WayLook } from '../../../packages/warrenmq/src/consumer/way-out/way-look.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { compileTopology } from '../../../packages/warrenmq/src/topology/compile-topology.ts'
import type { CompiledTopology } from '../../../packages/warrenmq/src/topology/compiled-topology.ts'
import type { TopologyDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import type { QueueFlow } from '../../../packages/warrenmq/src/topology/queue-flow.ts'
import { decodeTable } from '../../../packages/warrenmq/src/wire/decode-table.ts'
import {
  type PlainTable,
  toFieldTable,
  toPlainTable,
} from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { decodeProperties } from '../../../packages/warrenmq/src/wire/properties.ts'

export interface ConsumerRig {
  readonly consuming: Session
  readonly publisher: Publisher
  readonly admin: AmqpChannel
  readonly topology: CompiledTopology
  flow(name: string): QueueFlow
  consume(name: string, handler: Handler, options?: ConsumerOptions): Promise<Consumer>
  depth(queue: string): Promise<number>
  /** Takes everything out of a queue. */
  drain(queue: string): Promise<DrainedMessage[]>
  /** Done by itself at the end of the test. */
  close(): Promise<void>
}

export interface DrainedMessage {
  readonly id: string | undefined
  readonly body: string
  readonly headers: PlainTable
}

const quick = { backoff: { initialMs: 5, maxMs: 50 } }

/** A topology on a broker with sessions to consume and to publish; `consumingUrl` may lead through a proxy. */
export async function createConsumerRig({
  url,
  consumingUrl = url,
  publishingUrl = url,
  declaration,
  wayLook,
}: {
  readonly url: string
  readonly consumingUrl?: string
  readonly publishingUrl?: string
  readonly declaration: TopologyDeclaration
  readonly wayLook?: WayLook
}): Promise<ConsumerRig> {
  const direct = await Session.open(url, quick)
  const consuming = await Session.open(consumingUrl, quick)
  const publishing = await Session.open(publishingUrl, quick)
  const close = async () => {
    await Promise.all([direct, consuming, publishing].map((session) => session.close()))
  }
  onTestFinished(close)
  const topology = compileTopology(declaration, { brokerVersion: direct.broker.version })
  const admin = await direct.openChannel()
  await declareTopology(admin, topology)
  const publisher = new Publisher(direct)
  const flow = (name: string) => topology.flows.find((each) => each.name === name)!

  return {
    consuming,
    publisher,
    admin,
    topology,
    flow,
    consume: async (name, handler, options) => {
      const parts = { consuming, publishing, flow: flow(name), handler, wayLook, ...(options && { options }) }
      const consumer = startConsumer(parts)
      onTestFinished(() => consumer.close({ deadline: 0 }))
      await consumer.whenStarted()
      return consumer
    },
    depth: async (queue) => (await inspectQueue(admin, queue)).messageCount,
    drain: (queue) => drain(admin, queue),
    close,
  }
}

/** Collects the events of one name. */
export function collect<Name extends keyof ConsumerEvents>(
  consumer: Consumer,
  name: Name,
): ConsumerEvents[Name][] {
  const events: ConsumerEvents[Name][] = []
  consumer.events.on(name, (event) => events.push(event))
  return events
}

export async function declareTopology(channel: AmqpChannel, topology: CompiledTopology): Promise<void> {
  for (const { name, arguments: args, ...exchange } of topology.exchanges) {
    await declareExchange(channel, {
      exchange: name,
      ...exchange,
      arguments: toFieldTable(args as PlainTable),
    })
  }
  for (const { name, type, arguments: args, durable, autoDelete } of topology.queues) {
    const all = toFieldTable({ ...args, 'x-queue-type': type } as PlainTable)
    await declareQueue(channel, { queue: name, durable, autoDelete, arguments: all })
  }
  for (const { source, destination, key } of topology.bindings) {
    await bindQueue(channel, { queue: destination, exchange: source, routingKey: key })
  }
}

async function drain(channel: AmqpChannel, queue: string): Promise<DrainedMessage[]> {
  const messages: DrainedMessage[] = []
  const take = () => channel.get(queue, { noAck: true })
  for (let got = await take(); got; got = await take()) {
    const { headers, messageId } = decodeProperties(got.properties)
    const plain = headers === undefined ? {} : toPlainTable(decodeTable(headers))
    messages.push({ id: messageId, body: String(got.body), headers: plain })
  }
  return messages
}
