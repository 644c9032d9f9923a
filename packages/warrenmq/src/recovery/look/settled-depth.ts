import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import { inspectQueue, type QueueCounts } from '../../broker/amqp/declarations.ts'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { RecoveryError } from '../../errors.ts'
import { ownSleep } from '../../own-timer.ts'
import type { FieldTable } from '../../wire/field-value.ts'
import { isQueueGone } from './is-queue-gone.ts'
import { withChannel } from './with-channel.ts'

/**
 * Ready messages, exact. A queue that is not there is an error that says so.
 * @example
 * ```ts
 * const ready = await depthOf(session, 'orders.dlq')
 * ```
 */
export async function depthOf(session: Session, queue: string): Promise<number> {
  return (await countsOf(session, queue)).messageCount
}

/** The same with those who consume from it. */
export async function countsOf(session: Session, queue: string): Promise<QueueCounts> {
  try {
    return await withChannel(session, (channel) => inspectQueue(channel, queue))
  } catch (error) {
    if (!isQueueGone(error)) throw error
    throw new RecoveryError(
      {
        code: 'RECOVERY_QUEUE_NOT_FOUND',
        message: `There is no queue "${queue}". Check the name, or name a vhost other than "${session.vhost}" with --vhost.`,
      },
      { cause: error },
    )
  }
}

/** The consumers of a queue while we do not consume. */
export async function countConsumers(session: Session, queue: string): Promise<number> {
  const { consumerCount } = await withChannel(session, (channel) => inspectQueue(channel, queue))
  return consumerCount
}

/** How acks are seen through to a quorum queue. */
export interface AckPassage {
  readonly consumerTag: string
  readonly consumerArguments?: FieldTable | undefined
  /** Holds what the queue sends in the meantime. */
  readonly hold: (delivery: Delivery) => void
}

/**
 * Resolves when the queue has the acks of a channel: acks that the channel has not passed on when it closes are lost.
 * A quorum queue needs a passage for them.
 */
export async function settleAcks(
  channel: AmqpChannel,
  queue: string,
  passage: AckPassage | undefined,
): Promise<void> {
  if (passage) await passAcksThrough(channel, queue, passage)
  else await passAcks(channel, queue)
}

/** Resolves when a classic queue has the acks of a channel: its answers come behind them. */
export async function passAcks(channel: AmqpChannel, queue: string): Promise<void> {
  for (let round = 0; round < 3; round += 1) await inspectQueue(channel, queue)
}

/**
 * The same for a quorum queue. While more than a few acks are not written, its channel keeps back those that follow,
 * and still answers questions. Starting and ending a consumer takes the same way as the acks: once it has started,
 * what came before is written and the channel passes on the rest; once it has ended, that is written too.
 */
async function passAcksThrough(channel: AmqpChannel, queue: string, passage: AckPassage): Promise<void> {
  const { consumerTag, consumerArguments = [], hold } = passage
  await channel.setPrefetch(1)
  await channel.consume(queue, hold, { consumerTag, arguments: consumerArguments })
  await inspectQueue(channel, queue)
  await channel.cancel(consumerTag)
}

/**
 * The depth once it no longer changes, or only grows because others publish. What a channel held is not ready
 * immediately after it closes, so a depth below `atLeast` is waited for; it stays below only if somebody else takes
 * messages.
 * @example
 * ```ts
 * const ready = await settledDepth(session, 'orders.dlq', { atLeast: 10 })
 * ```
 */
export function settledDepth(
  session: Session,
  queue: string,
  { atLeast, mostFalls = Number.POSITIVE_INFINITY }: AwaitedDepth,
): Promise<number> {
  return withChannel(session, (channel) => standingDepth(channel, queue, { atLeast, mostFalls }))
}

/** The depth that a queue is expected to come to. */
export interface AwaitedDepth {
  /** So many should be ready; a smaller depth is believed only after it stood still for long. */
  readonly atLeast: number
  /**
   * What comes back makes a queue longer: a queue that got shorter this often is being emptied by others, and may
   * never come to rest. Then the depth is that of the moment. @default any number
   */
  readonly mostFalls?: number
}

async function standingDepth(
  channel: AmqpChannel,
  queue: string,
  { atLeast, mostFalls }: Required<AwaitedDepth>,
): Promise<number> {
  let depth = -1
  let falls = 0
  for (let unchanged = 0; ; await ownSleep(readEveryMs)) {
    const { messageCount } = await inspectQueue(channel, queue)
    const isSettled = messageCount === depth || (depth >= atLeast && messageCount > depth)
    unchanged = isSettled ? unchanged + 1 : 0
    if (messageCount < depth) falls += 1
    depth = messageCount
    if (unchanged >= (depth < atLeast ? patientReads : quickReads) || falls > mostFalls) return depth
  }
}

/** The depth as soon as this many are ready again. It stays below only if somebody else takes messages. */
export async function awaitDepth(session: Session, queue: string, awaited: AwaitedDepth): Promise<number> {
  const depth = await depthOf(session, queue)
  return depth >= awaited.atLeast ? depth : settledDepth(session, queue, awaited)
}

const readEveryMs = 15
const quickReads = 3
const patientReads = 200
