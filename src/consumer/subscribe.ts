import type { AmqpChannel } from '../broker/amqp/channel.ts'
import type { Delivery } from '../broker/amqp/delivery.ts'
import type { QueueFlow } from '../topology/queue-flow.ts'
import { toFieldTable } from '../wire/plain-fields.ts'
import type { SettledConsumerOptions } from './consumer-options.ts'
import { verifyQueues } from './verify-queues.ts'

/** What a consumer receives by, from the opening of its channel on. */
export interface Subscription {
  readonly channel: AmqpChannel
  /** Undefined while the broker has not said that messages can come. */
  consumerTag: string | undefined
}

/** Asks for the messages of a queue, once it is sure that they can be settled. Gives the consumer tag. */
export async function subscribe({
  channel,
  flow,
  options: { prefetch, priority },
  receive,
  onOversized,
}: {
  readonly channel: AmqpChannel
  readonly flow: QueueFlow
  readonly options: Pick<SettledConsumerOptions, 'prefetch' | 'priority'>
  readonly receive: (delivery: Delivery) => void
  readonly onOversized: (delivery: Delivery) => void
}): Promise<string> {
  await verifyQueues(channel, flow)
  await channel.setPrefetch(prefetch)
  const args = priority === undefined ? {} : { arguments: toFieldTable({ 'x-priority': priority }) }
  return channel.consume(flow.queue, receive, { ...args, onOversized })
}
