import { ChannelError } from 'warrenmq'
import {
  type AmqpChannel,
  createTurns,
  type DeadLetterQueue,
  decideDeadLetterQueues,
  inspectQueue,
  observeTopology,
  type QueueCounts,
} from 'warrenmq/operations'
import { refuseWithoutBroker } from '../guards/refuse-without-broker.ts'
import type { ServerBroker } from '../server-broker.ts'

/** The dead-letter queues of the vhost: declared ones, and those that the broker shows. */
export async function listDlqs({
  management,
  vhost,
  topology,
}: ServerBroker): Promise<readonly DeadLetterQueue[]> {
  return decideDeadLetterQueues(await observeTopology(management, { vhost }), topology)
}

/** Says how many messages are ready in a queue at this moment, and who consumes from it; null where it is gone. */
export type InspectDlq = (queue: string) => Promise<QueueCounts | null>

/**
 * Counts by asking the queue itself: the statistics of RabbitMQ are seconds old. One channel is kept for it, since
 * opening one for each question would be most of the work; a queue that is gone closes it.
 */
export function createInspector(broker: Pick<ServerBroker, 'consuming' | 'publishing'>): InspectDlq {
  const { consuming } = broker
  const turns = createTurns()
  let kept: AmqpChannel | undefined

  async function openChannel(): Promise<AmqpChannel> {
    const channel = await consuming.openChannel()
    channel.events.on('closed', () => {
      if (kept === channel) kept = undefined
    })
    kept = channel
    return channel
  }

  return (queue) =>
    turns.take(async () => {
      refuseWithoutBroker(broker)
      try {
        return await inspectQueue(kept ?? (await openChannel()), queue)
      } catch (error) {
        kept = undefined // also where nobody has told yet that it is closed
        if (error instanceof ChannelError && error.replyCode === 404) return null
        throw error
      }
    })
}
