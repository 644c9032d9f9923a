import type { Publisher } from '../../publisher/publisher.ts'
import { isConnectionLost } from '../look/is-connection-lost.ts'
import { isQueueGone } from '../look/is-queue-gone.ts'
import { consumerTagOf } from './consumer-tag.ts'
import { MessageTaking, type TakingListener } from './message-taking.ts'
import type { HoldReason, RedriveErrand } from './redrive-command.ts'
import type { RedriveEvent } from './redrive-event.ts'
import type { RedriveLock } from './redrive-lock.ts'
import type { RedriveOptions } from './redrive-options.ts'
import type { RedrivePreparation } from './redrive-preparation.ts'
import { queuesOf } from './redrive-rules.ts'
import type { RedriveState } from './redrive-state.ts'
import type { RedriveTally } from './redrive-tally.ts'
import type { RedriveWatch } from './redrive-watch.ts'
import type { Taken } from './taken.ts'

export interface RedriveTakingTask {
  readonly id: string
  readonly options: Pick<RedriveOptions, 'consuming' | 'queue' | 'onAgain' | 'onKept' | 'onFailed'>
  readonly publisher: Publisher
  readonly lock: RedriveLock
  readonly preparation: RedrivePreparation
  readonly tally: RedriveTally
  readonly watch: RedriveWatch
  readonly state: () => RedriveState<Taken>
  readonly tell: (event: RedriveEvent<Taken>) => void
  /** What time does not mend ends the run. */
  readonly tellFailure: (error: unknown) => void
}

/** The taking side of a re-drive: one pass after the other, and what becomes of the messages. */
export class RedriveTaking {
  readonly #task: RedriveTakingTask
  #taking: MessageTaking | undefined
  #stopSampling = (): void => {}

  constructor(task: RedriveTakingTask) {
    this.#task = task
  }

  /** Deliveries that are neither acknowledged nor back in their queue. */
  get openCount(): number {
    return this.#taking?.openCount ?? 0
  }

  async take({ count, prefetch, isFirst }: Extract<RedriveErrand, { kind: 'take' }>): Promise<void> {
    const { id, options, publisher, lock, preparation, tally, watch, state, tell } = this.#task
    const { consuming: session, queue, onAgain } = options
    if (!isFirst) onAgain?.()
    tally.startPass()
    if (!lock.isHeld) {
      tell({ kind: 'lost' })
      return
    }
    const taking = new MessageTaking({
      session,
      publisher,
      queue,
      look: preparation.look!,
      count,
      prefetch,
      consumerTag: consumerTagOf(id),
      listener: this.#listener,
    })
    this.#taking = taking
    this.#stopSampling()
    // Also when all are taken: what is sent slowly may come back long after that.
    this.#stopSampling = watch.sample(taking, () => {
      if (this.#taking === taking) tell({ kind: 'suspected' })
    })
    try {
      const end = await taking.run()
      if (end === 'lost' || end === 'full') tell({ kind: 'lost' })
      else tell({ kind: 'walked', end })
    } catch (error) {
      // If the channel closed, that was reported; else it was never open.
      if (state().pass.walk === 'on') this.#tellClosed(error)
    }
  }

  readonly #listener: TakingListener = {
    delivered: (message) => {
      const { preparation, state, tell, tellFailure } = this.#task
      const rules = preparation.rules!
      try {
        const step = rules.decide(message.delivery)
        message.step = step
        if (step.kind === 'publish' && state().gate) message.queues = queuesOf(rules, step)
        tell({ kind: 'delivered', message, decision: step })
      } catch (error) {
        tellFailure(error) // it cannot be decided on
        tell({ kind: 'sent-ahead', message })
      }
    },
    sentAhead: (message) => this.#task.tell({ kind: 'sent-ahead', message }),
    timeUp: () => this.#task.tell({ kind: 'time-up' }),
    closed: (error) => this.#tellClosed(error),
  }

  /** The channel is gone, and what it held is back; a reason that time does not mend ends the run, too. */
  #tellClosed(error: unknown): void {
    const { tally, tell, tellFailure } = this.#task
    this.abandon()
    if (error !== undefined && isQueueGone(error)) {
      tell({ kind: 'queue-gone' })
      return
    }
    if (error !== undefined && !isConnectionLost(error)) tellFailure(error)
    tally.startPass()
    tell({ kind: 'lost' })
  }

  ack(message: Taken): void {
    this.#taking!.ack(message)
  }

  /** It stays in its queue, and is counted by the reason why. */
  hold(message: Taken, why: HoldReason): void {
    const { options, preparation, tally, tell } = this.#task
    if (why === 'failed') {
      tally.countFailure(message.failure!)
      options.onFailed?.(message.delivery, message.failure!)
    } else if (why === 'came-back') tally.cameBackCount += 1
    else if (why !== 'sent-ahead' && why !== 'stopped' && why !== 'over-the-limit') {
      tally.countKeep(why)
      options.onKept?.(message.delivery, why)
    }
    const { overLimitQueue } = preparation.look!
    const isCopying = this.#taking!.hold(message, (end) => {
      tell({ kind: 'copied', end, inOverLimitQueue: overLimitQueue.count })
    })
    if (isCopying) tell({ kind: 'copying' })
  }

  proveAcks(): void {
    const taking = this.#taking!
    taking.prove().then(
      (count) => {
        if (this.#taking === taking) this.#task.tell({ kind: 'acks-known', count })
      },
      () => {}, // the channel is gone, which is reported separately
    )
  }

  extend(): void {
    this.#taking?.extend()
  }

  stop(): void {
    this.#taking?.stop()
  }

  async giveBack(): Promise<void> {
    const { lock, tell } = this.#task
    this.#stopSampling()
    await this.#taking!.giveBack()
    const { returnsInMs, hasLostNode } = lock
    tell({ kind: 'gave-back', returnsInMs, hasLostNode })
  }

  async relock(): Promise<void> {
    const { options, lock, tell } = this.#task
    this.abandon()
    const held = await lock.retake()
    const isClosed = options.consuming.state === 'closed'
    tell({ kind: 'relocked', held: isClosed ? 'closed' : held })
  }

  abandon(): void {
    this.#stopSampling()
    this.#taking?.abandon()
  }

  async whenClosed(): Promise<void> {
    await this.#taking?.whenClosed()
  }
}
