import { setTimeout as sleep } from 'node:timers/promises'
import { inspectQueue } from '../broker/amqp/operations.ts'
import type { Session } from '../broker/amqp/session.ts'
import { isLineLost, isQueueUnreachable } from './is-line-lost.ts'
import { withChannel } from './with-channel.ts'

export interface GateTask {
  readonly session: Session
  /** No target is to hold more ready messages than this because of us. */
  readonly limit: number
  /** It is worth asking again. */
  readonly onRoom: () => void
  /** A target is as deep as it may be, and nothing of ours is under way. */
  readonly onFull: (queue: string) => void
}

/**
 * Keeps targets from being filled: so many messages go as there was room at the last count, then it counts
 * again. The count is the broker's own, so it knows what others publish and what consumers take.
 */
export class DepthGate {
  readonly #task: GateTask
  readonly #queues = new Set<string>()
  #room = 0
  #underWay = 0
  #counting: Promise<void> | undefined
  #isOver = false

  constructor(task: GateTask) {
    this.#task = task
  }

  /** True: one may go to these queues now. False: `onRoom` or `onFull` is called later. */
  take(queues: readonly string[]): boolean {
    if (this.#isOver) return false
    for (const queue of queues) this.#watch(queue)
    if (this.#room > 0) {
      this.#room -= 1
      this.#underWay += 1
      return true
    }
    this.#counting ??= this.#count()
    return false
  }

  /** One that was let through has its answer. */
  settled(): void {
    this.#underWay -= 1
  }

  stop(): void {
    this.#isOver = true
  }

  #watch(queue: string): void {
    if (this.#queues.has(queue)) return
    this.#queues.add(queue)
    this.#room = 0 // its depth is not known yet
  }

  async #count(): Promise<void> {
    // What is under way as the count begins may or may not be in it; it is taken off to be on the safe side.
    const underWay = this.#underWay
    try {
      const { queue, depth } = await this.#deepest()
      this.#room = Math.min(mostAtOnce, this.#task.limit - depth - underWay)
      if (this.#room <= 0 && underWay === 0) this.#task.onFull(queue)
    } catch {
      this.#room = 0 // the line is lost, and another one follows
      await sleep(lookEveryMs)
    } finally {
      this.#counting = undefined
    }
    if (this.#room <= 0) await sleep(lookEveryMs)
    if (!this.#isOver) this.#task.onRoom()
  }

  async #deepest(): Promise<{ queue: string; depth: number }> {
    let deepest = { queue: '', depth: -1 }
    for (const queue of this.#queues) {
      const depth = await this.#depthOf(queue)
      if (depth !== undefined && depth > deepest.depth) deepest = { queue, depth }
    }
    return deepest
  }

  /** Undefined: nobody can count it, because it was deleted or its node is down. The publishes themselves will tell. */
  async #depthOf(queue: string): Promise<number | undefined> {
    const { session } = this.#task
    try {
      const { messageCount } = await withChannel(session, (channel) => inspectQueue(channel, queue))
      return messageCount
    } catch (error) {
      if (isLineLost(error) && !isQueueUnreachable(error)) throw error
      return undefined
    }
  }
}

const mostAtOnce = 1_000
const lookEveryMs = 20
