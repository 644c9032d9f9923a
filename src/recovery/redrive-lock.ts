import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { RecoveryError } from '../errors.ts'
import { isAtLeast, parseBrokerVersion } from '../message/broker-version.ts'
import { isLineLost } from './is-line-lost.ts'
import type { RedriveOptions } from './redrive.ts'
import { type Lock, takeLock } from './take-lock.ts'

export interface RedriveLockTask {
  readonly id: string
  readonly options: Pick<RedriveOptions, 'consuming' | 'queue' | 'management' | 'by'>
}

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

  constructor(task: RedriveLockTask) {
    this.#task = task
  }

  /** A connection was lost together with its node. */
  get hasLostNode(): boolean {
    return this.#returnsAt > 0
  }

  /** How long the queue may still keep what a lost connection of this re-drive held. */
  get returnsInMs(): number {
    return Math.max(0, this.#returnsAt - performance.now())
  }

  /** Rejects where somebody else has it. */
  async take(): Promise<void> {
    const { consuming, queue, management, by } = this.#task.options
    const holder = `${by} on ${hostname()} (re-drive ${this.#task.id})`
    this.#lock = await takeLock({ session: consuming, queue, holder, management, vhost: consuming.vhost })
  }

  /** Takes it again on a new connection; false when somebody else has it. */
  async retake(): Promise<boolean> {
    const lostAt = performance.now()
    for (;;) {
      await this.#task.options.consuming.whenConnected()
      if (this.#lock?.isHeld) return true // only a channel was lost
      await this.#lock?.release()
      try {
        await this.take()
        if (this.#lock?.followsOrphan) this.#returnsAt = lostAt + (await this.#readHoldMs()) + marginMs
        return true
      } catch (error) {
        const isLocked = error instanceof RecoveryError && error.code === 'RECOVERY_LOCKED'
        if (!isLocked && !isLineLost(error)) throw error
        if (isLocked && performance.now() >= lostAt + longestWaitMs) return false
        await sleep(retryMs)
      }
    }
  }

  /** Whether this re-drive still has the queue to itself; takes the lock again where its line was lost. */
  async isSure(): Promise<boolean> {
    if (!this.#lock?.isHeld && !(await this.retake())) return false
    return (await this.#lock?.isUnrivalled()) ?? false
  }

  async release(): Promise<void> {
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
