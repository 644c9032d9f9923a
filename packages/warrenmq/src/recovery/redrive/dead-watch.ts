import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { headerText } from '../../message/header-values.ts'
import { ownSleep } from '../../own-timer.ts'
import type { Publisher } from '../../publisher/publisher.ts'
import { readProperty } from '../../wire/properties.ts'
import { performance } from '../../world.ts'
import { completeWalk } from '../look/finish-walk.ts'
import type { LookRules } from '../look/prepare-look.ts'
import { QueueWalk } from '../look/queue-walk.ts'
import { Refreshes } from '../look/refreshes.ts'
import { depthOf, passAcks } from '../look/settled-depth.ts'
import { withChannel } from '../look/with-channel.ts'
import { recoveryHeaders } from '../put-back/recovery-headers.ts'
import { type Canary, type DeadLimit, deadThreshold } from './canary.ts'
import { untriedWarner } from './untried-warner.ts'

export interface WatchTask {
  readonly session: Session
  readonly publisher: Publisher
  readonly queue: string
  readonly redriveId: string
  readonly deadLimit: DeadLimit | undefined
  readonly canary: Canary | undefined
  /** The queues that messages were moved to, as far as that is known. */
  readonly targets: () => readonly string[]
}

/** What the re-drive knows at the moment somebody asks. */
export interface WatchFacts {
  readonly moved: number
  /** What the queue should hold of those that were there at the start, delivered to us or not. */
  readonly left: number
  readonly inHand: number
  readonly look: LookRules
}

const underWay = 2_000
const pollEveryMs = 100

/**
 * Notices that re-driven messages come back. How many messages are in the queue is cheap to ask, so only when
 * there are more than there should be are they looked through for the id of this re-drive.
 */
export class DeadWatch {
  readonly #task: WatchTask
  #cameBack = 0
  #suspectAt = 1
  #margin = 0
  readonly #warnUntried: (queues: readonly string[]) => Promise<void>

  constructor(task: WatchTask) {
    this.#task = task
    this.#warnUntried = untriedWarner(task.session)
  }

  /** As counted last. */
  get cameBack(): number {
    return this.#cameBack
  }

  /** Whether a sample in the middle of a run asks for a `judge` while nothing is in flight. */
  isSuspicious(depth: number, facts: WatchFacts): boolean {
    return arrivalsOf(depth, facts) - this.#margin >= this.#suspectAt
  }

  /** Gives re-driven messages the time to come back; ends early when enough have arrived. */
  async wait(waitMs: number, read: () => WatchFacts | undefined): Promise<void> {
    const { session, queue } = this.#task
    const endAt = performance.now() + waitMs
    for (let facts = read(); facts && performance.now() < endAt; facts = read()) {
      // What is just given back is counted twice for a moment, or not at all.
      if (
        arrivalsOf(await depthOf(session, queue), facts) >= this.#suspectAt &&
        arrivalsOf(await this.#standingDepth(read), facts) >= this.#suspectAt
      )
        return
      await ownSleep(Math.min(pollEveryMs, waitMs))
    }
    await this.#warnUntried(this.#task.targets())
  }

  /** Counts, and says whether too many came back. Nothing may be in flight. */
  async judge(read: () => WatchFacts): Promise<'go-on' | 'stop'> {
    const depth = await this.#standingDepth(read)
    const facts = read()
    const arrivals = arrivalsOf(depth, facts)
    this.#cameBack = arrivals <= 0 ? 0 : await this.#count(depth, facts.look)
    const threshold = deadThreshold({ ...this.#task, moved: facts.moved })
    if (this.#cameBack >= threshold) return 'stop'
    // A sample in the middle of a run is off by what was in flight; after one false alarm it looks less closely.
    if (arrivals < this.#suspectAt) this.#margin = Math.max(64, this.#margin * 2)
    this.#suspectAt = Math.max(0, arrivals) + Math.max(1, threshold - this.#cameBack)
    return 'go-on'
  }

  /** Ready messages once what was in flight has arrived. */
  async #standingDepth(read: () => WatchFacts | undefined): Promise<number> {
    const { session, queue } = this.#task
    let seen = ''
    for (;;) {
      const depth = await depthOf(session, queue)
      const now = `${depth} ${read()?.inHand}`
      if (now === seen) return depth
      seen = now
      await ownSleep(pollEveryMs / 4)
    }
  }

  /** Looks through the queue for the id of the re-drive and leaves all there. */
  #count(count: number, look: LookRules): Promise<number> {
    return withChannel(this.#task.session, (channel) => this.#lookOn(channel, { count, look }))
  }

  async #lookOn(channel: AmqpChannel, { count, look }: { count: number; look: LookRules }): Promise<number> {
    const { publisher, queue, redriveId } = this.#task
    let cameBack = 0
    const refreshes = new Refreshes({ publisher, rules: look, ack: (delivery) => walk.ack(delivery) })
    const hold = (delivery: Delivery): void => void refreshes.leave(delivery, () => walk.growIfNeeded())
    const walk: QueueWalk = new QueueWalk({
      channel,
      queue,
      count,
      prefetch: underWay,
      onSentAhead: hold,
      isWhole: true,
      returnsBehind: look.returnsBehind,
      maxHoldMs: look.maxHoldMs,
      consumerArguments: look.consumerArguments,
      heldCount: () => refreshes.heldCount,
      onDelivery: (delivery) => {
        if (isOfRedrive(delivery, redriveId)) cameBack += 1
        hold(delivery)
      },
    })
    await completeWalk(walk, refreshes)
    await passAcks(channel, queue)
    return cameBack
  }
}

function arrivalsOf(depth: number, { left, inHand }: WatchFacts): number {
  return depth + inHand - left
}

function isOfRedrive({ properties }: Delivery, redriveId: string): boolean {
  return headerText(readProperty(properties, 'headers'), recoveryHeaders.redriveId) === redriveId
}
