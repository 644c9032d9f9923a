import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import { inspectQueue } from '../../broker/amqp/declarations.ts'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { ChannelError, isManagementAbsent, RecoveryError, type WarrenError } from '../../errors.ts'
import { lookTag } from '../../message/holding-tags.ts'
import { ownSleep } from '../../own-timer.ts'
import { Publisher } from '../../publisher/publisher.ts'
import { performance } from '../../world.ts'
import { internalError } from './is-connection-lost.ts'
import { type LookPermission, type LookRules, prepareLook } from './prepare-look.ts'
import { Refreshes, type RefreshRules } from './refreshes.ts'
import { depthOf } from './settled-depth.ts'

export interface EmptyQuestion {
  readonly session: Session
  readonly publisher: Publisher
  readonly queue: string
  readonly rules: RefreshRules
  /** Nobody waits for a leader any longer. */
  readonly signal?: AbortSignal | undefined
}

const askEveryMs = 100
/** An election takes a second; a queue that has lost most of its nodes may never hold one. */
const longestElectionMs = 60_000

/**
 * Ready messages, exact even while a leader is elected. RabbitMQ says that a quorum queue without a leader holds
 * nothing and has no consumer, so an empty queue is believed only if it knows of a consumer.
 */
export async function confirmDepth(question: EmptyQuestion): Promise<number> {
  const giveUpAt = performance.now() + longestElectionMs
  for (;;) {
    const depth = await depthOf(question.session, question.queue)
    if (depth > 0 || (await isEmpty(question))) return depth
    if (performance.now() >= giveUpAt || question.signal?.aborted) throw noLeaderError(question.queue)
    await ownSleep(askEveryMs)
  }
}

/**
 * The same for callers that hold no lock and have no rules yet. If a message may not be held even for a moment, the
 * broker's word is all there is.
 */
export async function sureDepth(permission: LookPermission & { signal?: AbortSignal }): Promise<number> {
  const { consuming: session, publishing, queue, signal } = permission
  const depth = await depthOf(session, queue)
  if (depth > 0) return depth
  const rules = await prepareLook(permission).catch(undefinedIfRefused)
  if (!rules?.returnsBehind) return depth // a classic queue has no elections
  const publisher = new Publisher(publishing)
  try {
    return await confirmDepth({ session, publisher, queue, rules, signal })
  } finally {
    await publisher.close()
  }
}

function undefinedIfRefused(error: WarrenError): LookRules | undefined {
  if (error.code === 'RECOVERY_LOOK_REFUSED' || isManagementAbsent(error)) return undefined
  throw error
}

/** Begins to consume, asks once more, and gives back whatever came. */
async function isEmpty({ session, publisher, queue, rules }: EmptyQuestion): Promise<boolean> {
  const channel = await session.openChannel()
  let taken = 0
  const refreshes = new Refreshes({ publisher, rules })
  const hold = (delivery: Delivery): void => {
    taken += 1
    refreshes.leave(delivery)
  }
  try {
    await channel.setPrefetch(1)
    const consumerTag = await channel.consume(queue, hold, { consumerTag: lookTag })
    const { messageCount, consumerCount } = await inspectQueue(channel, queue)
    await channel.cancel(consumerTag) // what was sent before has come then
    return messageCount === 0 && consumerCount > 0 && taken === 0
  } catch (error) {
    if (isElection(error, channel)) return false
    throw error
  } finally {
    await refreshes.idle()
    await channel.close()
  }
}

function isElection(error: unknown, channel: AmqpChannel): boolean {
  const isUnanswered = error instanceof ChannelError && error.code === 'CHANNEL_TIMEOUT'
  return isUnanswered || (channel.closeReason as ChannelError | undefined)?.replyCode === internalError
}

export function noLeaderError(queue: string): RecoveryError {
  return new RecoveryError({
    code: 'RECOVERY_NO_LEADER',
    message: `The queue "${queue}" has no leader: most of its nodes are gone. Bring one back and run it again.`,
  })
}
