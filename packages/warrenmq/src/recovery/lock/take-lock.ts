import { hash } from 'node:crypto'
import type { Session } from '../../broker/amqp/session.ts'
import type { Management } from '../../broker/management/open-management.ts'
import { RecoveryError } from '../../errors.ts'
import { climbLocks, findRival } from './climb-locks.ts'
import { createLockSteps } from './lock-steps.ts'

/** The right to work on a queue; nobody else has it meanwhile. */
export interface Lock {
  /** False once the connection that held it is gone. */
  readonly isHeld: boolean
  /** The broker keeps an earlier lock for a connection that is gone with its node. */
  readonly followsOrphan: boolean
  /**
   * Whether nobody has taken over because the cluster thought that the node of this connection was gone.
   * @example
   * ```ts
   * const lock = await takeLock({ session, queue: 'orders.dlq', holder: 'ann', vhost: '/' })
   * if (!(await lock.isUnrivalled())) console.log('somebody else works on it, too')
   * ```
   */
  isUnrivalled(): Promise<boolean>
  /**
   * Lets the next one work on the queue.
   * @example
   * ```ts
   * const lock = await takeLock({ session, queue: 'orders.dlq', holder: 'ann', vhost: '/' })
   * await lock.release()
   * ```
   */
  release(): Promise<void>
}

/** Which queue to lock, and for whom. */
export interface LockRequest {
  /**
   * The connection that consumes: lock and deliveries end together.
   * @example { session }
   */
  readonly session: Session
  /**
   * The queue to work on.
   * @example { queue: 'orders.dlq' }
   */
  readonly queue: string
  /**
   * Who holds it and what for; shown to the next one who asks.
   * @example { holder: 'anna re-drives' }
   */
  readonly holder: string
  /**
   * Says whether an earlier holder is gone with its node. @default nobody is asked
   * @example { management }
   */
  readonly management?: Management | undefined
  /**
   * The vhost of the queue.
   * @example { vhost: '/' }
   */
  readonly vhost: string
}

/**
 * The queue that means "somebody is working on this dead-letter queue".
 * @example
 * ```ts
 * const busy = await management.queues.find({ vhost: '/', name: lockName('orders.dlq') })
 * ```
 */
export function lockName(queue: string): string {
  return nameOf('warren.lock.', queue)
}

/** A name has up to 255 bytes, and that of the dead-letter queue may have as many by itself. */
function nameOf(prefix: string, queue: string): string {
  const name = `${prefix}${queue}`
  return Buffer.byteLength(name) <= 255 ? name : `${prefix}${hash('sha256', queue)}`
}

/**
 * The names of the lock. From 4.2 on, a cluster keeps an exclusive queue of a lost node until the node is back, and
 * 3.10 does so if the node had only just started; then the next name is taken.
 */
function lockNames(queue: string): readonly string[] {
  const later = [2, 3, 4].map((number) => nameOf(`warren.lock~${number}.`, queue))
  return [lockName(queue), ...later]
}

/**
 * Takes the right to work on a queue, for as long as the connection lives. An exclusive queue does it: the
 * broker lets one connection have it, in all the cluster, and deletes it with the connection.
 * @example
 * ```ts
 * const lock = await takeLock({ session, queue: 'orders.dlq', holder: 'ann', vhost: '/' })
 * ```
 */
export async function takeLock({ session, queue, holder, management, vhost }: LockRequest): Promise<Lock> {
  const connection = await session.whenConnected()
  const names = lockNames(queue)
  const steps = createLockSteps({ connection, holder, management, vhost })
  const climbed = await climbLocks(names, steps).catch(async (error: unknown) => {
    await steps.end()
    throw error
  })
  if (climbed.kind === 'locked') {
    await steps.end()
    throw await lockedError({ management, vhost, queue, name: climbed.name })
  }
  const { name } = climbed
  const isHeld = (): boolean => session.connection === connection
  return {
    get isHeld() {
      return isHeld()
    },
    followsOrphan: name !== names[0],
    isUnrivalled: async () => (await findRival(names.slice(names.indexOf(name) + 1), steps)) === undefined,
    release: async () => {
      if (isHeld()) await steps.drop(name).catch(() => undefined) // a lost connection has released it already
      await steps.end()
    },
  }
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
    message: `${who} is already working on the queue "${queue}". Wait until that is done, or stop it there.`,
  })
}
