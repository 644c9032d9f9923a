import type { Delivery } from '../broker/amqp/delivery.ts'
import { readProperty } from '../wire/properties.ts'
import { digestBody } from './digest-message.ts'
import type { RedriveStep } from './plan-redrive.ts'
import type { RecentMove, RecentMoves } from './recent-moves.ts'

/**
 * The deliveries of one pass that were moved before and come again, because their ack was lost. With an id that is
 * proved, and an ack is all that they need. Without one two messages may be alike to the last byte, and publishing
 * one twice is better than never: it goes once more, but is not counted once more.
 */
export class RedriveRepeats {
  readonly #recent: RecentMoves
  readonly #unproved = new Map<Delivery, RecentMove>()
  /** Only what an earlier pass moved can come again. */
  readonly #mayRepeat: boolean
  #surplus: number

  /** `surplus`: so many more are in the queue than should be, and no more can have come again. */
  constructor({ recent, surplus }: { recent: RecentMoves; surplus: number }) {
    this.#recent = recent
    this.#surplus = surplus
    this.#mayRepeat = recent.size > 0
  }

  /** The move of a delivery that came again; finds it once. */
  find(delivery: Delivery): { readonly move: RecentMove; readonly isProved: boolean } | undefined {
    if (!this.#mayRepeat || !delivery.isRedelivered) return undefined
    const id = readProperty(delivery.properties, 'messageId') ?? ''
    const isProved = id !== ''
    if (!isProved && this.#surplus <= 0) return undefined
    const move = this.#recent.take({ id, properties: delivery.properties, digest: digestBody(delivery) })
    // Without an id one that was published and never counted is counted when it goes now, as any other.
    if (!move || (!isProved && !move.isCounted)) return undefined
    if (!isProved) {
      this.#surplus -= 1
      this.#unproved.set(delivery, move)
    }
    return { move, isProved }
  }

  isUnproved(delivery: Delivery): boolean {
    return this.#unproved.has(delivery)
  }

  /** Where an unproved one goes: where it went. */
  stepOf(delivery: Delivery): Extract<RedriveStep, { kind: 'publish' }> | undefined {
    const move = this.#unproved.get(delivery)
    return move && { kind: 'publish', exchange: move.to.exchange, key: move.to.key, why: 'moved before' }
  }

  /** An unproved one may come again, or is still there. */
  remember(delivery: Delivery): void {
    const { properties } = delivery
    this.#recent.add({ ...this.#unproved.get(delivery)!, id: '', properties, digest: digestBody(delivery) })
  }
}
