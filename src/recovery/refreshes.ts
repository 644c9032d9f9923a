import { setTimeout as sleep } from 'node:timers/promises'
import type { Settled } from '../broker/amqp/ack-ledger.ts'
import type { Delivery } from '../broker/amqp/delivery.ts'
import type { EncodedMessage } from '../publisher/outgoing-message.ts'
import type { Publisher } from '../publisher/publisher.ts'
import type { LookRules } from './prepare-look.ts'

export type RefreshRules = Pick<LookRules, 'mayReturn' | 'returnDeletes' | 'encodeRefreshed' | 'aside'>

export interface RefreshTask {
  readonly publisher: Publisher
  readonly rules: RefreshRules
  /** How a message is acknowledged. @default by itself */
  readonly ack?: (delivery: Delivery) => Settled
}

const retryMs = 200
/** A queue that elects a leader refuses for a moment; one that is full does so for longer. */
const mostRefusals = 10

/**
 * Puts messages at the end of their own queue and acknowledges the old copies, because giving the old ones back
 * would delete them. The new copies start with a count of zero. A queue that takes no copy loses none: what would
 * be deleted is moved to a queue beside it, and held until that is done.
 */
export class Refreshes {
  readonly #task: RefreshTask
  #pending = 0
  #waiters: (() => void)[] = []

  constructor(task: RefreshTask) {
    this.#task = task
  }

  /** Refreshes it where it may not be given back. False: it may, and nothing was done. */
  startIfNeeded(delivery: Delivery, onDone: (hasLeft: boolean) => void = () => {}): boolean {
    if (this.#task.rules.mayReturn(delivery)) return false
    const copy = this.#task.rules.encodeRefreshed(delivery)
    this.#pending += 1
    void this.#refresh(delivery, copy).then((hasLeft) => {
      this.#pending -= 1
      onDone(hasLeft)
      if (this.#pending === 0) for (const resume of this.#waiters.splice(0)) resume()
    })
    return true
  }

  /** Resolves when nothing is under way; only then may the channel that holds the messages be closed. */
  idle(): Promise<void> {
    if (this.#pending === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  /** True: another copy is confirmed, and this delivery is acknowledged. */
  async #refresh(delivery: Delivery, copy: EncodedMessage): Promise<boolean> {
    const { rules } = this.#task
    for (let refusals = 0; ; refusals += 1) {
      if (await this.#isTaken(copy)) return this.#acknowledge(delivery)
      if (!delivery.isCurrent || !rules.returnDeletes(delivery)) return false
      // Where one had to be moved aside the queue is full, and the next need not find out for themselves.
      if (refusals >= mostRefusals || rules.aside.count > 0) break
      await sleep(retryMs)
    }
    return this.#moveAside(delivery, copy)
  }

  /** For as long as it takes: the broker itself ends it, when it takes back what was held for too long. */
  async #moveAside(delivery: Delivery, copy: EncodedMessage): Promise<boolean> {
    const { aside } = this.#task.rules
    while (delivery.isCurrent) {
      if ((await aside.open()) && (await this.#isTaken({ ...copy, key: aside.name }))) {
        aside.count += 1
        return this.#acknowledge(delivery)
      }
      if (await this.#isTaken(copy)) return this.#acknowledge(delivery) // there is room by now
      await sleep(retryMs)
    }
    return false
  }

  #isTaken(copy: EncodedMessage): Promise<boolean> {
    return new Promise((resolve) => {
      this.#task.publisher.publishEncoded(copy, ({ kind }) => resolve(kind === 'confirmed'))
    })
  }

  #acknowledge(delivery: Delivery): boolean {
    const { ack = (each: Delivery) => each.ack() } = this.#task
    return ack(delivery) === 'sent'
  }
}
