import type { AmqpChannel } from '../broker/amqp/channel.ts'
import { declareQueue, deleteQueue } from '../broker/amqp/operations.ts'
import type { Session } from '../broker/amqp/session.ts'
import type { Management } from '../broker/management/open-management.ts'
import { ChannelError, RecoveryError } from '../errors.ts'
import { toFieldTable } from '../wire/plain-fields.ts'

export interface Lock {
  /** False once the connection that held it is gone. */
  readonly isHeld: boolean
  release(): Promise<void>
}

export interface LockRequest {
  /** The connection that consumes: lock and deliveries end together. */
  readonly session: Session
  readonly queue: string
  /** Who and what for; shown to the next one who asks. */
  readonly holder: string
  readonly management?: Management | undefined
  readonly vhost: string
}

/** The queue that stands for "somebody works on this dead-letter queue". */
export function lockName(queue: string): string {
  return `warren.lock.${queue}`.slice(0, 255)
}

const resourceLocked = 405

/**
 * Takes the right to work on a queue, for as long as the connection lives. An exclusive queue does it: the
 * broker lets one connection have it, in all the cluster, and deletes it with the connection.
 */
export async function takeLock({ session, queue, holder, management, vhost }: LockRequest): Promise<Lock> {
  const channel = await session.openChannel()
  const name = lockName(queue)
  try {
    await declareQueue(channel, {
      queue: name,
      durable: false,
      exclusive: true,
      arguments: toFieldTable({ 'x-queue-type': 'classic', 'warren-holder': holder }),
    })
  } catch (error) {
    const isLocked = error instanceof ChannelError && error.replyCode === resourceLocked
    throw isLocked ? await lockedError({ management, vhost, queue, name }) : error
  }
  return {
    get isHeld() {
      return channel.isOpen
    },
    release: () => release(channel, name),
  }
}

async function release(channel: AmqpChannel, name: string): Promise<void> {
  if (!channel.isOpen) return
  await deleteQueue(channel, name).catch(() => 0) // a lost connection has released it already
  await channel.close()
}

async function lockedError(fields: {
  management: Management | undefined
  vhost: string
  queue: string
  name: string
}): Promise<RecoveryError> {
  const { management, vhost, queue, name } = fields
  const found = await management?.queues.find({ vhost, name }).catch(() => undefined)
  const holder = found?.arguments['warren-holder']
  const who = typeof holder === 'string' ? holder : 'another connection'
  return new RecoveryError({
    code: 'RECOVERY_LOCKED',
    message: `${who} works on the queue "${queue}" already. Wait until it is done, or end it there.`,
  })
}
