import amqp from 'amqplib'
import { recoveryHeaders } from '../../packages/warrenmq/src/recovery/put-back/recovery-headers.ts'

/** A message that was found in a queue when all was over. */
export interface FoundMessage {
  readonly queue: string
  readonly id: string | undefined
  /** The re-drive that put it there last. */
  readonly redrive: string | undefined
}

/** Takes everything out of these queues, by another client than the one under test. */
export async function drainQueues(url: string, queues: readonly string[]): Promise<readonly FoundMessage[]> {
  // Without heartbeats, a campaign that is stopped for a while keeps its connection, and what comes on it.
  const connection = await amqp.connect(`${url}?heartbeat=0`)
  connection.on('error', () => {}) // whoever waits for an answer is told
  const channel = await connection.createChannel()
  const found: FoundMessage[] = []
  for (const queue of queues) {
    for (;;) {
      const message = await channel.get(queue, { noAck: true })
      if (!message) break
      const { messageId, headers } = message.properties
      const redrive: unknown = headers?.[recoveryHeaders.redriveId]
      found.push({
        queue,
        id: typeof messageId === 'string' ? messageId : undefined,
        redrive: typeof redrive === 'string' ? redrive : undefined,
      })
    }
  }
  await connection.close()
  return found
}
