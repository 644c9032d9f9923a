import { setTimeout as sleep } from 'node:timers/promises'
import type { AmqpChannel } from '../broker/amqp/channel.ts'
import type { Delivery } from '../broker/amqp/delivery.ts'
import { inspectQueue } from '../broker/amqp/operations.ts'
import type { Session } from '../broker/amqp/session.ts'
import { headerText } from '../message/header-values.ts'
import type { Publisher } from '../publisher/publisher.ts'
import { readProperty } from '../wire/properties.ts'
import { closeSettled, depthOf } from './count-queue.ts'
import { completeWalk } from './finish-walk.ts'
import { type Canary, type DeadLimit, deadThreshold } from './plan-redrive-stages.ts'
import type { LookRules } from './prepare-look.ts'
import { readableId } from './readable-id.ts'
import type { RecentMoves } from './recent-moves.ts'
import { recoveryHeaders } from './recovery-headers.ts'
import type { RedriveTally } from './redrive-tally.ts'
import { Refreshes, type RefreshRules } from './refreshes.ts'
import { QueueWalk } from './walk-queue.ts'
import { withChannel } from './with-channel.ts'

export interface CameBackQuestion {
  readonly session: Session
  readonly publisher: Publisher
  readonly queue: string
  /** How many to look through, from the head. */
  readonly count: number
  readonly redriveId: string
  /** Told of what was looked at: it comes again as if it had been moved and its ack was lost. */
  readonly recent: Pick<RecentMoves, 'startLook' | 'seeLooked'>
  readonly rules: RefreshRules & Pick<LookRules, 'returnsBehind' | 'maxHoldMs' | 'consumerArguments'>
}

const underWay = 2_000

/** How many messages of a re-drive are dead again: looks through the queue for its id and leaves all there. */
export function countCameBack(question: CameBackQuestion): Promise<number> {
  return withChannel(question.session, (channel) => lookForCameBack(channel, question))
}

async function lookForCameBack(channel: AmqpChannel, question: CameBackQuestion): Promise<number> {
  const { publisher, queue, count, redriveId, recent, rules } = question
  let cameBack = 0
  recent.startLook()
  const refreshes = new Refreshes({ publisher, rules, ack: (delivery) => walk.ack(delivery) })
  const hold = (delivery: Delivery): void => {
    const id = readableId(delivery)
    if (id !== '') recent.seeLooked(id)
    refreshes.leave(delivery, () => walk.growIfNeeded())
  }
  const look = (delivery: Delivery): void => {
    if (isOfRedrive(delivery, redriveId)) cameBack += 1
    hold(delivery)
  }
  const walk: QueueWalk = new QueueWalk({
    ...{ channel, queue, count, prefetch: underWay, onDelivery: look, onExtra: hold },
    ...{ isWhole: true, returnsBehind: rules.returnsBehind },
    ...{ maxHoldMs: rules.maxHoldMs, consumerArguments: rules.consumerArguments },
    heldCount: () => refreshes.heldCount,
  })
  await completeWalk(walk, refreshes)
  await closeSettled(channel, queue)
  return cameBack
}

function isOfRedrive({ properties }: Delivery, redriveId: string): boolean {
  return headerText(readProperty(properties, 'headers'), recoveryHeaders.redriveId) === redriveId
}

export interface WatchTask extends Omit<CameBackQuestion, 'count'> {
  readonly tally: RedriveTally
  /** In the queue at the start. */
  readonly present: number
  readonly deadLimit: DeadLimit | undefined
  readonly canary: Canary | undefined
}

const sampleEveryMs = 500
const pollEveryMs = 100

/**
 * Notices that re-driven messages come back. How many messages are in the queue is cheap to ask, so only when
 * there are more than there should be are they looked through for the id of this re-drive.
 */
export class RedriveWatch {
  readonly #task: WatchTask
  /** The channel that holds messages of the queue. */
  #holding: AmqpChannel | undefined
  #cameBack = 0
  #suspectAt = 1
  #margin = 0

  constructor(task: WatchTask) {
    this.#task = task
  }

  get isOn(): boolean {
    return Number.isFinite(this.#threshold)
  }

  /** As counted last. */
  get cameBack(): number {
    return Math.max(this.#cameBack, this.#task.tally.cameBackCount)
  }

  /** Samples during a pass; `onSuspicion` asks for a `judge` while nothing is under way. Gives back how to end it. */
  observe(pass: { channel: AmqpChannel; probe: AmqpChannel; onSuspicion: () => void }): () => void {
    this.#holding = pass.channel
    if (!this.isOn) return () => {}
    const timer = setInterval(() => {
      inspectQueue(pass.probe, this.#task.queue).then(
        ({ messageCount }) => {
          if (this.#arrivals(messageCount) - this.#margin >= this.#suspectAt) pass.onSuspicion()
        },
        () => {}, // the line is lost, and the pass with it
      )
    }, sampleEveryMs)
    return () => {
      clearInterval(timer)
      this.#holding = undefined
    }
  }

  /** Gives re-driven messages the time to come back; ends early when enough have arrived. */
  async wait(waitMs: number, isOver: () => boolean): Promise<void> {
    const endAt = performance.now() + waitMs
    while (performance.now() < endAt && !isOver()) {
      const { session, queue } = this.#task
      // What is just given back is counted twice for a moment, or not at all.
      if (
        this.#arrivals(await depthOf(session, queue)) >= this.#suspectAt &&
        this.#arrivals(await this.#standingDepth()) >= this.#suspectAt
      )
        return
      await sleep(Math.min(pollEveryMs, waitMs))
    }
  }

  /** Counts, and says whether too many came back. Nothing may be under way. */
  async judge(): Promise<'go-on' | 'stop'> {
    const depth = await this.#standingDepth()
    const arrivals = this.#arrivals(depth)
    this.#cameBack = arrivals <= 0 ? 0 : await countCameBack({ ...this.#task, count: depth })
    if (this.#cameBack >= this.#threshold) return 'stop'
    // A sample in the middle of a run is off by what was on its way; who was fooled once looks less closely.
    if (arrivals < this.#suspectAt) this.#margin = Math.max(64, this.#margin * 2)
    this.#suspectAt = Math.max(0, arrivals) + Math.max(1, this.#threshold - this.#cameBack)
    return 'go-on'
  }

  /** Ready messages once what was on its way has arrived. */
  async #standingDepth(): Promise<number> {
    const { session, queue } = this.#task
    let seen = ''
    for (;;) {
      const depth = await depthOf(session, queue)
      const now = `${depth} ${this.#holding?.openDeliveries}`
      if (now === seen) return depth
      seen = now
      await sleep(pollEveryMs / 4)
    }
  }

  #arrivals(depth: number): number {
    const { present, tally, rules } = this.#task
    const expected = present - tally.moved - rules.aside.count
    return depth + (this.#holding?.openDeliveries ?? 0) - expected
  }

  get #threshold(): number {
    const { tally, deadLimit, canary } = this.#task
    return deadThreshold({ moved: tally.moved, deadLimit, canary })
  }
}
