import type { Publisher } from '../../publisher/publisher.ts'
import { isConnectionLost } from '../look/is-connection-lost.ts'
import { isQueueGone } from '../look/is-queue-gone.ts'
import { consumerTagOf } from './consumer-tag.ts'
import type { EventQueue } from './event-queue.ts'
import { MessageTaking, type TakingListener } from './message-taking.ts'
import type { RedriveStep } from './plan-redrive.ts'
import type { HoldReason, RedriveErrand } from './redrive-command.ts'
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
  readonly events: EventQueue<Taken>
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
    const { id, options, publisher, lock, preparation, tally, watch, state, events } = this.#task
    const { consuming: session, queue, onAgain } = options
    if (!isFirst) onAgain?.()
    tally.startPass()
    if (!lock.isHeld) {
      events.tell({ kind: 'lost' })
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
      if (this.#taking === taking) events.tell({ kind: 'suspected' })
    })
    try {
      const end = await taking.run()
      if (end === 'lost' || end === 'full') events.tell({ kind: 'lost' })
      else events.tell({ kind: 'walked', end })
    } catch (error) {
      // If the channel closed, that was reported; else it was never open.
      if (state().pass.walk === 'on') this.#tellClosed(error)
    }
  }

  readonly #listener: TakingListener = {
    delivered: (message) => {
      const { preparation, state, events, tellFailure } = this.#task
      const rules = preparation.rules!
      try {
        const step = rules.decide(message.delivery)
        message.step = step
        if (step.kind === 'publish' && state().gate) message.queues = queuesOf(rules, step)
        // With one that came back the walk takes one more, and must know it before it has seen its last.
        if (isBack(step)) events.tell({ kind: 'delivered', messages: [message] })
        else events.gather('delivered', message)
      } catch (error) {
        tellFailure(error) // it cannot be decided on
        events.tell({ kind: 'sent-ahead', message })
      }
    },
    sentAhead: (message) => this.#task.events.tell({ kind: 'sent-ahead', message }),
    timeUp: () => this.#task.events.tell({ kind: 'time-up' }),
    closed: (error) => this.#tellClosed(error),
  }

  /** The channel is gone, and what it held is back; a reason that time does not mend ends the run, too. */
  #tellClosed(error: unknown): void {
    const { tally, events, tellFailure } = this.#task
    this.abandon()
    if (error !== undefined && isQueueGone(error)) {
      events.tell({ kind: 'queue-gone' })
      return
    }
    if (error !== undefined && !isConnectionLost(error)) tellFailure(error)
    tally.startPass()
    events.tell({ kind: 'lost' })
  }

  ack(messages: readonly Taken[]): void {
    this.#taking!.ack(messages)
  }

  /** Acks that what was delivered since proves, so that the broker need not be asked. */
  takeProvedAcks(): number {
    return this.#taking?.takeProvedAcks() ?? 0
  }

  /** It stays in its queue, and is counted by the reason why. */
  hold(message: Taken, why: HoldReason): void {
    const { options, preparation, tally, events } = this.#task
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
      events.tell({ kind: 'copied', end, inOverLimitQueue: overLimitQueue.count })
    })
    if (isCopying) events.tell({ kind: 'copying' })
  }

  proveAcks(): void {
    const taking = this.#taking!
    taking.prove().then(
      (count) => {
        if (this.#taking === taking) this.#task.events.tell({ kind: 'acks-known', count, isAnswer: true })
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
    const { lock, events } = this.#task
    this.#stopSampling()
    await this.#taking!.giveBack()
    const { returnsInMs, hasLostNode } = lock
    events.tell({ kind: 'gave-back', returnsInMs, hasLostNode })
  }

  async relock(): Promise<void> {
    const { options, lock, events } = this.#task
    this.abandon()
    const held = await lock.retake()
    const isClosed = options.consuming.state === 'closed'
    events.tell({ kind: 'relocked', held: isClosed ? 'closed' : held })
  }

  abandon(): void {
    this.#stopSampling()
    this.#taking?.abandon()
  }

  async whenClosed(): Promise<void> {
    await this.#taking?.whenClosed()
  }
}

function isBack(step: RedriveStep): boolean {
  return step.kind === 'keep' && step.reason === 'came-back'
}
