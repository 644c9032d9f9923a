import type { AmqpChannel } from '../broker/amqp/channel.ts'
import { deleteQueue, inspectQueue, type QueueCounts } from '../broker/amqp/declarations.ts'
import { type Clock, realClock } from '../clock.ts'
import { ChannelError } from '../errors.ts'
import type { LiveTopology } from '../topology/live-topology.ts'
import type { Leftover } from '../topology/plan-topology.ts'
import type { ChannelSource } from './channel-source.ts'
import { decideLeftover, type LeftoverLook } from './decide-leftover.ts'
import type { StepOutcome } from './execute-step.ts'

/** keep: leave what is left over. remove-empty: delete it where nothing can be lost by that. */
export type LeftoverChoice = 'keep' | 'remove-empty'

/** What the removal of a leftover needs to know. */
export interface LeftoverRemoval {
  /** Opens channels on the broker. */
  readonly source: ChannelSource
  /** Looks at the broker anew. */
  readonly observe: () => Promise<Pick<LiveTopology, 'queues'>>
  /** Somebody knows that no replica of an older release runs, so that running consumers are no reason to keep it. */
  readonly isOldReleaseGone: boolean
  /** Times the waits between two looks. @default the system's */
  readonly clock?: Clock
}

/**
 * Deletes a queue that is left over, or says why not. It looks twice, further apart than the statistics are old: what a
 * consumer holds, and a dead letter on its way back, is seen in the statistics only.
 */
export async function removeLeftover(leftover: Leftover, removal: LeftoverRemoval): Promise<StepOutcome> {
  const { source, observe, isOldReleaseGone, clock = realClock } = removal
  const channels: AmqpChannel[] = []
  const openChannel = async () => {
    const channel = await source.openChannel()
    channels.push(channel)
    return channel
  }
  const judge = async () => {
    const look = await lookAt(leftover, { openChannel, observe })
    return look === undefined ? undefined : decideLeftover(look, { isOldReleaseGone })
  }
  try {
    const first = await judge()
    if (first === undefined) return done
    if (first.kind === 'keep') return { kind: 'kept', reason: first.reason }
    await new Promise<void>((resolve) => void clock.schedule(statisticsAgeMs, resolve))
    const second = await judge()
    if (second === undefined) return done
    if (second.kind === 'keep') return { kind: 'kept', reason: second.reason }
    // A quorum queue refuses these flags on every version, so there only the look just taken protects it.
    const ifIdle = leftover.type === 'classic'
    await deleteQueue(await openChannel(), leftover.queue, { ifEmpty: ifIdle, ifUnused: ifIdle })
    return done
  } finally {
    await Promise.all(channels.filter(({ isOpen }) => isOpen).map((channel) => channel.close()))
  }
}

const done: StepOutcome = { kind: 'done' }

/** RabbitMQ counts every five seconds. */
const statisticsAgeMs = 6_000

/** Undefined where the queue is gone: another process was quicker. */
async function lookAt(
  { queue, of }: Leftover,
  { openChannel, observe }: { openChannel: () => Promise<AmqpChannel> } & Pick<LeftoverRemoval, 'observe'>,
): Promise<LeftoverLook | undefined> {
  const { queues } = await observe()
  const reported = (name: string) => queues.find((each) => each.name === name)
  const ofCounts = await inspect(openChannel, of)
  const counts = await inspect(openChannel, queue)
  if (counts === undefined) return undefined
  const total = reported(queue)?.messages
  return {
    // The passive declare counts ready messages only, and now; the statistics count all, seconds ago.
    messages: total === undefined ? undefined : Math.max(counts.messageCount, total),
    consumers: counts.consumerCount,
    of: {
      queue: of,
      consumers: ofCounts?.consumerCount ?? 0,
      unacknowledged: ofCounts === undefined ? 0 : reported(of)?.unacknowledged,
    },
  }
}

async function inspect(
  openChannel: () => Promise<AmqpChannel>,
  queue: string,
): Promise<QueueCounts | undefined> {
  const channel = await openChannel()
  return inspectQueue(channel, queue).catch((error: unknown) => {
    if (error instanceof ChannelError && error.replyCode === 404) return undefined
    throw error
  })
}
