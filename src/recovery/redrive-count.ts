import { inspectQueue } from '../broker/amqp/operations.ts'
import type { Session } from '../broker/amqp/session.ts'

/** Who consumes from a queue while the re-drive itself does not. */
export async function countConsumers(session: Session, queue: string): Promise<number> {
  const channel = await session.openChannel()
  const { consumerCount } = await inspectQueue(channel, queue)
  await channel.close()
  return consumerCount
}
