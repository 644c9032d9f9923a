import type { Delivery } from '../broker/amqp/delivery.ts'
import { mayBeReturned } from './decide-leftover.ts'
import { digestBody } from './digest-message.ts'
import type { RedriveStep } from './plan-redrive.ts'
import { readableId } from './readable-id.ts'
import type { RecentMove, RecentMoves, RememberedMove } from './recent-moves.ts'

export interface RepeatsTask {
  readonly recent: RecentMoves
  /** So many more are in the queue than should be, and no more can have come again of those that were counted. */
  readonly surplus: number
  readonly rules: { readonly countsReturns: boolean }
}

/**
 * The deliveries of one pass that were moved before and come again, because their ack was lost. With an id that is
 * proved, and an ack is all that they need. Without one, or where two have the same id, two messages may be alike to
 * the last byte, and publishing one twice is better than never: it goes once more, but is not counted once more.
 */
export class RedriveRepeats {
  readonly #recent: RecentMoves
  readonly #isCounting: boolean
  readonly #unproved = new Map<Delivery, RecentMove>()
  #surplus: number
  /** Of these moves the messages are in the queue for certain: the broker was never told to take them out. */
  #uncounted: number
  #provedLeft: number

  constructor({ recent, surplus, rules }: RepeatsTask) {
    this.#recent = recent
    this.#isCounting = rules.countsReturns
    recent.startPass()
    this.#uncounted = recent.uncountedCount
    this.#provedLeft = recent.provedCount
    // Only what an earlier pass moved can come again.
    this.#surplus = recent.size === 0 ? 0 : surplus
  }

  /** The pass was handed a message and has not moved it: its twin may have been moved. */
  seeLeft(delivery: Delivery): void {
    const id = readableId(delivery)
    if (id !== '') this.#recent.seeLeft(id)
  }

  /** The move of a delivery that came again; finds it once. */
  find(delivery: Delivery): { readonly move: RecentMove; readonly isProved: boolean } | undefined {
    if (!delivery.isRedelivered || (this.#surplus <= 0 && this.#uncounted <= 0)) return undefined
    const id = readableId(delivery)
    const move = this.#take(delivery, id)
    if (!move) return undefined
    if (!move.isCounted) {
      this.#uncounted -= 1
      // Without an id one that was published and never counted is counted when it goes now, as any other.
      if (id === '') return undefined
      this.#provedLeft -= 1
      this.#recent.addAgain(memoryOf(delivery, { move: { ...move, isCounted: true }, id }))
      return { move, isProved: true }
    }
    this.#surplus -= 1
    const isProved = id !== '' && !this.#recent.hasTwin(id)
    if (isProved) this.#recent.addAgain(memoryOf(delivery, { move, id }))
    else this.#unproved.set(delivery, move)
    return { move, isProved }
  }

  #take(delivery: Delivery, id: string): RecentMove | undefined {
    const { properties: now } = delivery
    const message = { id, properties: now, digest: digestBody(delivery) }
    const isCounting = this.#isCounting
    const uncounted =
      this.#uncounted > 0 ? this.#recent.take(message, ({ isCounted }) => !isCounted) : undefined
    if (uncounted || this.#surplus <= 0) return uncounted
    return this.#recent.take(
      message,
      ({ isCounted, properties: before }) => isCounted && mayBeReturned({ before, now, isCounting }),
    )
  }

  /** Messages are still to come that were moved before anybody could count them. */
  get hasProvedLeft(): boolean {
    return this.#provedLeft > 0
  }

  isUnproved(delivery: Delivery): boolean {
    return this.#unproved.has(delivery)
  }

  /** Where an unproved one goes: where it went. */
  stepOf(delivery: Delivery): Extract<RedriveStep, { kind: 'publish' }> | undefined {
    const move = this.#unproved.get(delivery)
    return move && { kind: 'publish', exchange: move.to.exchange, key: move.to.key, why: 'moved before' }
  }

  /** An unproved one may come again, or is still there. Of any other there is nothing to remember. */
  remember(delivery: Delivery): void {
    const move = this.#unproved.get(delivery)
    if (move) this.#recent.add(memoryOf(delivery, { move, id: readableId(delivery) }))
  }
}

/** What to remember of a message that came again: its properties are others by now. */
export function memoryOf(delivery: Delivery, { move, id }: { move: RecentMove; id: string }): RememberedMove {
  return { ...move, id, properties: Buffer.from(delivery.properties), digest: digestBody(delivery) }
}
