import { inspectQueue } from '../../broker/amqp/declarations.ts'
import type { IncomingMessage } from '../../broker/amqp/message.ts'
import type { Session } from '../../broker/amqp/session.ts'
import type { Broker } from '../../broker/broker.ts'
import type { Management } from '../../broker/management/open-management.ts'
import type { ManagedQueue } from '../../broker/management/queues.ts'
import { observeTopology } from '../../deploy/observe-topology.ts'
import { ChannelError, RecoveryError } from '../../errors.ts'
import type { CompiledTopology } from '../../topology/compiled-topology.ts'
import { readProperty } from '../../wire/properties.ts'
import { type CauseGroup, createCauseGroups } from '../read/cause-groups.ts'
import { type DeadLetterQueue, decideDeadLetterQueues } from '../read/decide-dead-letter-queues.ts'
import { diedAt } from '../read/read-dead-letter.ts'
import { noLeaderError } from './confirm-depth.ts'
import { lookAtQueue } from './look-at-queue.ts'
import { countsOf } from './settled-depth.ts'

/** Which dead-letter queues to list, and how far to look into each. */
export interface ListOptions extends Broker {
  /**
   * The API that knows the queues.
   * @example { management }
   */
  readonly management: Management
  /**
   * Says which queues are dead-letter queues. @default the live arguments and policies say it
   * @example { topology: compiled }
   */
  readonly topology?: CompiledTopology | undefined
  /**
   * Who looks; shown to the next one who wants the queue.
   * @example { by: 'anna' }
   */
  readonly by: string
  /**
   * How many messages to look at in each queue, if that is safe; 0 looks at none. @default 1000
   * @example { sample: 0 }
   */
  readonly sample?: number
}

/** A dead-letter queue as an operator wants to see it. */
export interface ListedQueue extends Omit<DeadLetterQueue, 'messages' | 'sources'> {
  /** Ready messages, exact; from the broker's statistics if `notLookedAt` says that the queue cannot be reached. */
  readonly messages: number
  /** Its consumers, exact; undefined if they cannot be counted. */
  readonly consumers: number | undefined
  /** Over the last seconds, as the broker's statistics tell it. */
  readonly growthPerMinute: number | undefined
  /** The queues whose dead letters come here: a re-drive puts messages there, and their consumers would handle them. */
  readonly sources: readonly { readonly queue: string; readonly consumers: number | undefined }[]
  /** When the oldest of those looked at died, in ISO 8601. */
  readonly oldest: string | undefined
  /** How many from the head were looked at. */
  readonly looked: number
  /** Of those looked at, the largest first. */
  readonly causes: readonly CauseGroup[]
  /** Why none was looked at. */
  readonly notLookedAt: string | undefined
}

/**
 * Finds the dead-letter queues of a vhost and tells what is in them; the fullest first.
 * @example
 * ```ts
 * const queues = await listDeadLetters({ ...broker, management, by: 'ann' })
 * ```
 */
export async function listDeadLetters(options: ListOptions): Promise<readonly ListedQueue[]> {
  const { consuming, management, topology } = options
  const { vhost } = consuming
  const found = decideDeadLetterQueues(await observeTopology(management, { vhost }), topology)
  const listed: ListedQueue[] = []
  for (const each of found) {
    const detail = await management.queues.find({ vhost, name: each.queue })
    listed.push({
      ...each,
      growthPerMinute: detail?.messagesPerSecond === undefined ? undefined : detail.messagesPerSecond * 60,
      sources: await Promise.all(each.sources.map((queue) => countConsumers(consuming, queue))),
      ...(await countAndSample(options, { ...each, detail })),
    })
  }
  return listed.toSorted((left, right) => right.messages - left.messages)
}

/**
 * A queue that cannot be reached, on a lost node or exclusive to another connection, says so in its row; the list
 * continues.
 */
async function countAndSample(
  options: ListOptions,
  { queue, detail, messages: reported }: DeadLetterQueue & { detail: ManagedQueue | undefined },
): Promise<Sample & Pick<ListedQueue, 'messages' | 'consumers'>> {
  try {
    const { messageCount: messages, consumerCount: consumers } = await countsOf(options.consuming, queue)
    if (detail && isWithoutLeader(detail))
      return { messages, consumers: undefined, ...nothing, notLookedAt: noLeaderError(queue).message }
    return { messages, consumers, ...(await sampleQueue(options, { queue, messages })) }
  } catch (error) {
    const isOfTheQueue =
      error instanceof ChannelError ||
      (error instanceof RecoveryError && error.code === 'RECOVERY_QUEUE_NOT_FOUND')
    if (!isOfTheQueue) throw error
    // The broker tells a queue that is gone from one whose node is down.
    const { message } = error.cause instanceof ChannelError ? error.cause : error
    const messages = detail?.messagesReady ?? reported ?? 0
    return { messages, consumers: undefined, ...nothing, notLookedAt: message }
  }
}

/** Such a queue says that it is empty, whatever it holds. */
function isWithoutLeader({ type, leader, online = [], members = [] }: ManagedQueue): boolean {
  return type === 'quorum' && (leader === undefined || online.length * 2 <= members.length)
}

/** The broker's own count: the statistics know a new consumer only seconds later. */
async function countConsumers(session: Session, queue: string): Promise<ListedQueue['sources'][number]> {
  const channel = await session.openChannel()
  try {
    return { queue, consumers: (await inspectQueue(channel, queue)).consumerCount }
  } catch {
    return { queue, consumers: undefined } // deleted since it was listed; the list continues without it
  } finally {
    await channel.close()
  }
}

type Sample = Pick<ListedQueue, 'oldest' | 'looked' | 'causes' | 'notLookedAt'>

async function sampleQueue(
  options: ListOptions,
  { queue, messages }: { queue: string; messages: number },
): Promise<Sample> {
  const { sample = 1_000 } = options
  const groups = createCauseGroups()
  let oldestMs = Number.POSITIVE_INFINITY
  if (sample === 0 || messages === 0) return { ...nothing, notLookedAt: undefined }
  try {
    const { seen } = await lookAtQueue({
      ...options,
      queue,
      count: sample,
      onMessage: (message) => {
        groups.add(message)
        const timeMs = diedAt(readProperty(message.properties, 'headers')) ?? sentAt(message)
        if (timeMs < oldestMs) oldestMs = timeMs
      },
    })
    const oldest = Number.isFinite(oldestMs) ? new Date(oldestMs).toISOString() : undefined
    return { oldest, looked: seen, causes: groups.list(), notLookedAt: undefined }
  } catch (error) {
    // Refused, or in use by somebody: the list says so for this queue and continues with the next.
    if (!(error instanceof RecoveryError)) throw error
    return { ...nothing, notLookedAt: error.message }
  }
}

/** In milliseconds since 1970; NaN if it is missing, or not in seconds (some clients write microseconds). */
function sentAt({ properties }: IncomingMessage): number {
  return new Date(Number(readProperty(properties, 'timestamp') ?? Number.NaN) * 1000).getTime()
}

const nothing = { oldest: undefined, looked: 0, causes: [] } as const
