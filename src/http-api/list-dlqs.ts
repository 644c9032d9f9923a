import { inspectQueue } from '../broker/amqp/operations.ts'
import { observeTopology } from '../deploy/observe-topology.ts'
import { ChannelError } from '../errors.ts'
import { type DeadLetterQueue, decideDeadLetterQueues } from '../recovery/decide-dead-letter-queues.ts'
import type { BrokerLine } from './broker-line.ts'

/** The dead-letter queues of the vhost: declared ones, and those that the broker shows. */
export async function listDlqs({
  management,
  vhost,
  topology,
}: BrokerLine): Promise<readonly DeadLetterQueue[]> {
  return decideDeadLetterQueues(await observeTopology(management, { vhost }), topology)
}

/** Ready messages at this moment; null where the queue is gone. The statistics of RabbitMQ are seconds old. */
export async function countMessages({ consuming }: BrokerLine, queue: string): Promise<number | null> {
  const channel = await consuming.openChannel()
  try {
    const { messageCount } = await inspectQueue(channel, queue)
    await channel.close()
    return messageCount
  } catch (error) {
    if (error instanceof ChannelError && error.replyCode === 404) return null
    throw error
  }
}
