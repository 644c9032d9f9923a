import type { AmqpChannel } from '../broker/amqp/channel.ts'
import { inspectExchange, inspectQueue } from '../broker/amqp/operations.ts'
import type { QueueFlow } from '../topology/queue-flow.ts'

/**
 * Makes sure that everything a message of this queue may be sent to exists. A rejected message whose dead-letter
 * exchange or wait queue is missing vanishes without a trace, so a consumer does not begin without them.
 */
export async function verifyQueues(channel: AmqpChannel, flow: QueueFlow): Promise<void> {
  const queues = [...flow.waitQueues, ...(flow.deadLetterQueue === undefined ? [] : [flow.deadLetterQueue])]
  for (const queue of queues) await inspectQueue(channel, queue)
  for (const exchange of exchangesOf(flow)) await inspectExchange(channel, exchange)
}

function exchangesOf({ retry, park }: QueueFlow): ReadonlySet<string> {
  const tiers = retry?.kind === 'publish' ? retry.tiers : []
  const names = [...tiers.map(({ exchange }) => exchange), park?.kind === 'publish' ? park.exchange : '']
  return new Set(names.filter((name) => name !== ''))
}
