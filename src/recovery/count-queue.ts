import { setTimeout as sleep } from 'node:timers/promises'
import type { AmqpChannel } from '../broker/amqp/channel.ts'
import { inspectQueue } from '../broker/amqp/operations.ts'
import type { Session } from '../broker/amqp/session.ts'
import { RecoveryError } from '../errors.ts'
import { isQueueGone } from './is-queue-gone.ts'
import { withChannel } from './with-channel.ts'

/** Ready messages, exact. A queue that is not there is an error that says so. */
export async function depthOf(session: Session, queue: string): Promise<number> {
  try {
    const { messageCount } = await withChannel(session, (channel) => inspectQueue(channel, queue))
    return messageCount
  } catch (error) {
    if (!isQueueGone(error)) throw error
    throw new RecoveryError(
      {
        code: 'RECOVERY_QUEUE_NOT_FOUND',
        message: `There is no queue "${queue}". Check its name and the vhost.`,
      },
      { cause: error },
    )
  }
}

/** Who consumes from a queue while we do not. */
export async function countConsumers(session: Session, queue: string): Promise<number> {
  const { consumerCount } = await withChannel(session, (channel) => inspectQueue(channel, queue))
  return consumerCount
}

/**
 * Closes the channel of a pass after its acks. A quorum queue takes acks from the channel in batches, and
 * those that the channel has not passed on when it closes are lost; answers on the channel give it the time.
 */
export async function closeSettled(channel: AmqpChannel, queue: string): Promise<void> {
  for (let round = 0; round < 3; round += 1) await inspectQueue(channel, queue)
  await channel.close()
}

/**
 * The depth once it stands still, or only grows because others publish. What a channel held is not ready at
 * the moment it is closed, so a depth below `atLeast` is waited for; it stays below only where somebody else
 * takes messages.
 */
export function settledDepth(session: Session, queue: string, atLeast: number): Promise<number> {
  return withChannel(session, (channel) => standingDepth(channel, queue, atLeast))
}

async function standingDepth(channel: AmqpChannel, queue: string, atLeast: number): Promise<number> {
  let depth = -1
  for (let unchanged = 0; ; await sleep(readEveryMs)) {
    const { messageCount } = await inspectQueue(channel, queue)
    const isSettled = messageCount === depth || (depth >= atLeast && messageCount > depth)
    unchanged = isSettled ? unchanged + 1 : 0
    depth = messageCount
    if (unchanged >= (depth < atLeast ? patientReads : quickReads)) return depth
  }
}

/** The depth as soon as so many are ready again. It stays below only where somebody else takes messages. */
export async function awaitDepth(session: Session, queue: string, atLeast: number): Promise<number> {
  const depth = await depthOf(session, queue)
  return depth >= atLeast ? depth : settledDepth(session, queue, atLeast)
}

const readEveryMs = 15
const quickReads = 3
const patientReads = 200
