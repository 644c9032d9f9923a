import type { AmqpChannel } from '../broker/amqp/channel.ts'
import { inspectExchange, inspectQueue } from '../broker/amqp/operations.ts'
import type { QueueFlow } from '../topology/queue-flow.ts'

/**
 * Makes sure that everything a message of this queue may be sent to exists. A rejected message whose dead-letter
 * exchange or wait queue is missing vanishes without a trace, so a consumer does not begin without them.
 */
export async function verifyQueues(channel: AmqpChannel, flow: QueueFlow): Promise<void> {
  for (const queue of queuesOf(flow)) await inspectQueue(channel, queue)
  for (const exchange of exchangesOf(flow)) await inspectExchange(channel, exchange)
}

function queuesOf({ waitQueues, deadLetterQueue, park }: QueueFlow): readonly string[] {
  const own = park?.kind === 'reject' ? park.to : undefined
  const named = own?.exchange === '' ? own.key : undefined
  return [...waitQueues, deadLetterQueue, named].filter((name) => name !== undefined)
}

function exchangesOf({ retry, park }: QueueFlow): ReadonlySet<string> {
  const tiers = retry?.kind === 'publish' ? retry.tiers : []
  const parkExchange = park?.kind === 'publish' ? park.exchange : park?.to?.exchange
  const names = [...tiers.map(({ exchange }) => exchange), parkExchange ?? '']
  return new Set(names.filter((name) => name !== ''))
}
