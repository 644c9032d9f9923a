import type { Settled } from '../../broker/amqp/ack-ledger.ts'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import { ownSleep } from '../../own-timer.ts'
import type { EncodedMessage } from '../../publisher/outgoing-message.ts'
import type { PublishResult } from '../../publisher/publish-result.ts'
import type { Publisher } from '../../publisher/publisher.ts'
import type { LookRules } from './prepare-look.ts'

export type RefreshRules = Pick<
  LookRules,
  'mayReturn' | 'returnDeletes' | 'encodeRefreshed' | 'overLimitQueue'
>

export interface RefreshTask {
  readonly publisher: Publisher
  readonly rules: RefreshRules
  /** How a message is acknowledged. @default by itself */
  readonly ack?: (delivery: Delivery) => Settled
  /** @default 200 */
  readonly retryMs?: number
}

/** `refreshed`: its copy took its place. `held-with-copy`: it stays, and its queue has a copy, too, or may have one. */
export type RefreshEnd = 'refreshed' | 'held' | 'held-with-copy'

/** A queue that elects a leader refuses for a moment; one that is full does so for longer. */
const mostRefusals = 10

/**
 * Puts messages at the end of their own queue and acknowledges the old copies, because giving the old ones back
 * would delete them. The new copies start with a count of zero. A queue that takes no copy loses none: what would
 * be deleted is moved to a queue beside it, and held until that is done.
 */
export class Refreshes {
  readonly #task: RefreshTask
  readonly #retryMs: number
  #pending = 0
  #held = 0
  #waiters: (() => void)[] = []

  constructor(task: RefreshTask) {
    this.#task = task
    this.#retryMs = task.retryMs ?? 200
  }

  /**
   * Messages that were left and stay unsettled until the channel closes. A message whose copy is in flight is not one
   * of them: asking for more because of it would lead to ever more copies than the queue can take.
   */
  get heldCount(): number {
    return this.#held
  }

  /** Leaves it in its queue: true if a copy is in flight, which `onDone` ends; false if it is held. */
  leave(delivery: Delivery, onDone: (end: RefreshEnd) => void = () => {}): boolean {
    if (this.#task.rules.mayReturn(delivery)) {
      this.#held += 1
      return false
    }
    const copy = this.#task.rules.encodeRefreshed(delivery)
    this.#pending += 1
    void this.#refresh(delivery, copy).then((end) => {
      this.#pending -= 1
      if (end !== 'refreshed') this.#held += 1
      onDone(end)
      if (this.#pending === 0) for (const resume of this.#waiters.splice(0)) resume()
    })
    return true
  }

  get isIdle(): boolean {
    return this.#pending === 0
  }

  /** Resolves when nothing is in flight; only then may the channel that holds the messages be closed. */
  idle(): Promise<void> {
    if (this.#pending === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  async #refresh(delivery: Delivery, copy: EncodedMessage): Promise<RefreshEnd> {
    const { rules } = this.#task
    let mayHaveCopy = false
    for (let refusals = 0; ; ) {
      const answer = await this.#offer(copy)
      if (answer === 'taken') return this.#acknowledge(delivery)
      if (answer === 'unanswered') mayHaveCopy = true
      if (!delivery.isCurrent || !rules.returnDeletes(delivery))
        return mayHaveCopy ? 'held-with-copy' : 'held'
      if (answer !== 'unsent') refusals += 1
      // If one had to go to the over-limit queue, its own queue is full, and the next need not find that out again.
      if (refusals > mostRefusals || rules.overLimitQueue.count > 0)
        return this.#moveToOverLimitQueue(delivery, copy)
      await ownSleep(this.#retryMs)
    }
  }

  /** For as long as it takes: the broker itself ends it, when it takes back what was held for too long. */
  async #moveToOverLimitQueue(delivery: Delivery, copy: EncodedMessage): Promise<RefreshEnd> {
    const { overLimitQueue } = this.#task.rules
    while (delivery.isCurrent) {
      if (
        (await overLimitQueue.open()) &&
        (await this.#offer({ ...copy, key: overLimitQueue.name })) === 'taken'
      ) {
        overLimitQueue.count += 1
        return this.#acknowledge(delivery)
      }
      if ((await this.#offer(copy)) === 'taken') return this.#acknowledge(delivery) // there is room by now
      await ownSleep(this.#retryMs)
    }
    return 'held'
  }

  #offer(copy: EncodedMessage): Promise<Offered> {
    return new Promise((resolve) => {
      this.#task.publisher.publishEncoded(copy, (result) => resolve(answerOf(result)))
    })
  }

  #acknowledge(delivery: Delivery): RefreshEnd {
    const { ack = (each: Delivery) => each.ack() } = this.#task
    return ack(delivery) === 'sent' ? 'refreshed' : 'held-with-copy'
  }
}

/**
 * `unsent`: the publisher had no room or no connection, so the queue was never asked. `unanswered`: nobody knows
 * whether it has a copy now.
 */
type Offered = 'taken' | 'refused' | 'unsent' | 'unanswered'

function answerOf(result: PublishResult): Offered {
  if (result.kind === 'confirmed') return 'taken'
  // The first copy went by a connection that was lost, so a queue that refuses the second may have that one.
  if (result.kind !== 'unknown') return result.mayBeDuplicate ? 'unanswered' : 'refused'
  return result.wasSent ? 'unanswered' : 'unsent'
}
