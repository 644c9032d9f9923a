import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import type { AmqpConnection } from '../../broker/amqp/connection.ts'
import { declareQueue, deleteQueue, inspectQueue } from '../../broker/amqp/declarations.ts'
import { pause } from '../../broker/amqp/pause.ts'
import type { Management } from '../../broker/management/open-management.ts'
import { ChannelError } from '../../errors.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import { performance } from '../../world.ts'
import type { LockSteps } from './climb-locks.ts'

export interface LockContext {
  /** Names belong to it and end with it, so no other is asked. */
  readonly connection: AmqpConnection
  readonly holder: string
  readonly management: Management | undefined
  readonly vhost: string
}

const resourceLocked = 405
/** So long a cluster takes to notice that a node does not answer. */
const silenceMs = 60_000
/** What was silent for so long once is asked once more before it is believed. */
const secondSilenceMs = 2_000

/** The steps of a lock at a broker: exclusive queues of one connection. */
export function createLockSteps(context: LockContext): LockSteps & { end(): Promise<void> } {
  const { connection, holder } = context
  const silent = new Set<string>()
  let channel: AmqpChannel | undefined
  const openChannel = async (): Promise<AmqpChannel> => {
    if (!channel?.isOpen) channel = await connection.openChannel()
    return channel
  }
  return {
    take: async (name) => {
      try {
        await declareQueue(await openChannel(), {
          queue: name,
          durable: false,
          exclusive: true,
          arguments: toFieldTable({ 'x-queue-type': 'classic', 'warren-holder': holder }),
        })
        return 'mine'
      } catch (error) {
        if (error instanceof ChannelError && error.replyCode === resourceLocked) return 'taken'
        throw error
      }
    },
    isOrphan: async (name) => {
      const told = await askNodes(context, name)
      if (told !== undefined) return told
      const isSilent = await isSilentFor(connection, name, silent.has(name) ? secondSilenceMs : silenceMs)
      if (isSilent) silent.add(name)
      return isSilent
    },
    drop: async (name) => {
      await deleteQueue(await openChannel(), name)
    },
    end: async () => {
      await channel?.close()
    },
  }
}

/** Whether the node of a queue is gone, according to the management API; undefined if it cannot tell. */
async function askNodes({ management, vhost }: LockContext, name: string): Promise<boolean | undefined> {
  if (!management) return undefined
  try {
    const queue = await management.queues.find({ vhost, name })
    const { listeners } = await management.overview()
    if (listeners.length === 0 || queue?.node === undefined) return queue ? undefined : false
    return listeners.every(({ node }) => node !== queue.node)
  } catch {
    return undefined // it may have been the API of that very node
  }
}

/** A broker that asks a node which is gone gives no answer; any other asks and says that the queue is locked. */
async function isSilentFor(connection: AmqpConnection, name: string, patienceMs: number): Promise<boolean> {
  const endAt = performance.now() + patienceMs
  for (let leftMs = patienceMs; leftMs > 0; leftMs = endAt - performance.now()) {
    const channel = await connection.openChannel()
    const isOver = new AbortController()
    const isAnswered = await Promise.race([
      answers(channel, name),
      pause(leftMs, isOver.signal).then(() => false),
    ])
    isOver.abort()
    void channel.close()
    if (isAnswered) return false
  }
  return true
}

async function answers(channel: AmqpChannel, name: string): Promise<boolean> {
  try {
    await inspectQueue(channel, name)
    return true
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error
    return error.code !== 'CHANNEL_TIMEOUT'
  }
}
