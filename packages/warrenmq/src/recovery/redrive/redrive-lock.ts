import { RecoveryError } from '../../errors.ts'
import { isAtLeast, parseBrokerVersion } from '../../message/broker-version.ts'
import { ownSleep } from '../../own-timer.ts'
import { hostname, performance } from '../../world.ts'
import { type Lock, takeLock } from '../lock/take-lock.ts'
import { isConnectionLost, isQueueUnreachable } from '../look/is-connection-lost.ts'
import type { RedriveOptions } from './redrive-options.ts'
import { unlessAway, whenReachable } from './unless-away.ts'

export interface RedriveLockTask {
  readonly id: string
  readonly options: Pick<RedriveOptions, 'consuming' | 'queue' | 'management' | 'by'>
  /** Nobody waits any longer for a broker that is away. */
  readonly patience: AbortSignal
}

/** `locked`: somebody else has the queue now. `away`: the broker was not back before the patience was over. */
export type Retaken = 'held' | 'locked' | 'away'

/** A broker that has not noticed a lost connection keeps its lock for two heartbeats. */
const longestWaitMs = 150_000
const retryMs = 250
/** Since 4.3 a quorum queue waits so long for the consumers of a node that is gone before it takes back what they hold. */
const lostConsumerMs = 60_000
const marginMs = 1_000

/** The lock of one re-drive, over as many connections as it takes. */
export class RedriveLock {
  readonly #task: RedriveLockTask
  #lock: Lock | undefined
  #returnsAt = 0
  #isOver = false

  constructor(task: RedriveLockTask) {
    this.#task = task
  }

  /** A connection was lost together with its node. */
  get hasLostNode(): boolean {
    return this.#returnsAt > 0
  }

  /** Its connection is still the one that took it. */
  get isHeld(): boolean {
    return this.#lock?.isHeld === true
  }

  /** How long the queue may still keep what a lost connection of this re-drive held. */
  get returnsInMs(): number {
    return Math.max(0, this.#returnsAt - performance.now())
  }

  /** Rejects if somebody else has it. */
  async take(): Promise<void> {
    const { consuming, queue, management, by } = this.#task.options
    const holder = `${by} on ${hostname()} (re-drive ${this.#task.id})`
    const lock = await takeLock({ session: consuming, queue, holder, management, vhost: consuming.vhost })
    this.#lock = lock
    if (this.#isOver) await lock.release() // nobody waited for it any longer
  }

  /** Takes it again on a new connection. */
  async retake(): Promise<Retaken> {
    const { options, patience } = this.#task
    const lostAt = performance.now()
    for (;;) {
      if (!(await whenReachable(options.consuming, patience))) return 'away'
      if (this.#lock?.isHeld) return 'held' // only a channel was lost
      await this.#lock?.release()
      try {
        if ((await unlessAway(this.take(), { session: options.consuming, patience })) === 'away')
          return 'away'
        if (this.#lock?.followsOrphan) this.#returnsAt = lostAt + (await this.#readHoldMs()) + marginMs
        return 'held'
      } catch (error) {
        const isLocked = error instanceof RecoveryError && error.code === 'RECOVERY_LOCKED'
        if (!isLocked && !isConnectionLost(error)) throw error
        const isTimeOver = patience.aborted || performance.now() >= lostAt + longestWaitMs
        if (isTimeOver && (isLocked || isQueueUnreachable(error))) return 'locked'
        if (patience.aborted) return 'away'
        await ownSleep(retryMs)
      }
    }
  }

  /** Whether this re-drive still has the queue to itself; takes the lock again if its connection was lost. */
  async isSure(): Promise<Retaken> {
    const retaken = this.#lock?.isHeld ? 'held' : await this.retake()
    if (retaken !== 'held') return retaken
    return (await this.#lock?.isUnrivalled()) ? 'held' : 'locked'
  }

  async release(): Promise<void> {
    this.#isOver = true
    await this.#lock?.release()
  }

  async #readHoldMs(): Promise<number> {
    const { consuming, management, queue } = this.#task.options
    if (!isAtLeast(parseBrokerVersion(consuming.broker.version), '4.3.0')) return 0
    const name = { vhost: consuming.vhost, name: queue }
    const found = await management?.queues.find(name).catch(() => undefined)
    const set =
      found?.arguments['x-consumer-disconnected-timeout'] ??
      found?.effectivePolicy?.['consumer-disconnected-timeout']
    return typeof set === 'number' ? set : lostConsumerMs
  }
}
