import type { AmqpChannel } from '../broker/amqp/channel.ts'
import type { Delivery } from '../broker/amqp/delivery.ts'
import { createFifo, type Fifo } from '../publisher/fifo.ts'
import type { EncodedMessage } from '../publisher/outgoing-message.ts'
import type { PublishResult } from '../publisher/publish-result.ts'
import type { Publisher } from '../publisher/publisher.ts'
import { readProperty } from '../wire/properties.ts'
import { digestMessage, type SetDigest } from './digest-message.ts'
import type { Pace } from './pace.ts'
import type { KeepReason, RedriveStep } from './plan-redrive.ts'
import type { RecentMoves } from './recent-moves.ts'
import { type FailureKind, failureOf, type RedriveTally } from './redrive-tally.ts'
import { refreshDelivery } from './refresh-delivery.ts'
import { QueueWalk, type WalkEnd } from './walk-queue.ts'

/** What a pass asks about a message; nothing here touches the broker. */
export interface PassRules {
  /** Where it goes, or why it stays. Asked once per delivery, in order. */
  decide(delivery: Delivery): RedriveStep
  encode(delivery: Delivery, step: PublishStep): EncodedMessage
  /** The same message for the end of its own queue. */
  encodeRefreshed(delivery: Delivery): EncodedMessage
  /** False: giving it back would delete it. */
  mayReturn(delivery: Delivery): boolean
  causeOf(delivery: Delivery): { readonly id: string; readonly label: string }
}

export type PublishStep = Extract<RedriveStep, { kind: 'publish' }>

export interface PassTask {
  readonly channel: AmqpChannel
  readonly probe: AmqpChannel
  readonly publisher: Publisher
  readonly queue: string
  readonly count: number
  readonly window: { readonly messages: number; readonly bytes: number }
  readonly rules: PassRules
  readonly tally: RedriveTally
  readonly recent: RecentMoves
  readonly digest: SetDigest
  readonly pace: Pace
  /** What the broker may send ahead. @default window.messages */
  readonly prefetch?: number
  readonly consumerTag?: string
  readonly onProgress: () => void
  readonly onKept?: ((message: Delivery, reason: KeepReason) => void) | undefined
  readonly onFailed?: ((message: Delivery, failure: FailedPublish) => void) | undefined
}

export interface FailedPublish {
  readonly exchange: string
  readonly key: string
  readonly kind: FailureKind
}

const companyMs = 2

/**
 * One pass: deliveries in, publishes out, each acknowledged when its publish is confirmed and was not
 * returned. What stays is held until the channel closes, which gives it back in order.
 */
export class RedrivePass {
  readonly #task: PassTask
  readonly #walk: QueueWalk
  readonly #waiting: Fifo<Delivery> = createFifo()
  #next: { delivery: Delivery; step: RedriveStep } | undefined
  #held = 0
  #extras = 0
  #inFlight = 0
  #inFlightBytes = 0
  #isCancelled = false
  #whenIdle: (() => void) | undefined
  #pumpTimer: NodeJS.Timeout | undefined
  readonly #batch: number

  constructor(task: PassTask) {
    this.#task = task
    this.#batch = Math.max(1, Math.floor(task.window.messages / 8))
    const { channel, probe, queue, count, window, consumerTag } = task
    this.#walk = new QueueWalk({
      channel,
      probe,
      queue,
      count,
      consumerTag,
      prefetch: task.prefetch ?? window.messages,
      heldCount: () => this.#held,
      onDelivery: (delivery) => {
        this.#waiting.push(delivery)
        this.#pumpSoon()
      },
      onExtra: (delivery) => {
        this.#extras += 1
        this.#hold(delivery)
      },
    })
  }

  /** Settles when every delivery is decided and every publish has its result. The channel is still open. */
  async run(): Promise<WalkEnd> {
    const end = await this.#walk.run()
    this.pump()
    if (!this.#isIdle) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve
      })
    }
    return end
  }

  /** Messages beyond those counted that were sent ahead. */
  get extraCount(): number {
    return this.#extras
  }

  /** Takes no more; what is under way is finished. */
  cancel(): void {
    this.#isCancelled = true
    this.#walk.stop()
    this.pump()
  }

  /** Goes on with what waits; called when there is room again. */
  pump(): void {
    for (let next = this.#takeNext(); next && this.#mayStart(next.step); next = this.#takeNext()) {
      this.#next = undefined
      if (next.step.kind === 'keep') this.#keep(next.delivery, next.step.reason)
      else this.#publish(next.delivery, next.step)
    }
    if (this.#isIdle) this.#whenIdle?.()
  }

  /** Many small writes cost more CPU than few large ones, so a handful waits a moment for company. */
  #pumpSoon(): void {
    if (this.#waiting.size >= this.#batch) this.pump()
    else
      this.#pumpTimer ??= setTimeout(() => {
        this.#pumpTimer = undefined
        this.pump()
      }, companyMs)
  }

  #pumpAfterResult(): void {
    if (this.#waiting.size > 0) this.#pumpSoon()
    else this.pump()
  }

  get #isIdle(): boolean {
    return this.#inFlight === 0 && this.#waiting.size === 0 && this.#next === undefined
  }

  #takeNext(): { delivery: Delivery; step: RedriveStep } | undefined {
    while (!this.#next) {
      const delivery = this.#waiting.shift()
      if (!delivery) return undefined
      if (!delivery.isCurrent) continue // the broker has taken it back
      if (delivery.isRedelivered && this.#isRepeat(delivery)) continue
      const step: RedriveStep = this.#isCancelled
        ? { kind: 'keep', reason: 'stopped' }
        : this.#task.rules.decide(delivery)
      this.#next = { delivery, step }
    }
    if (this.#isCancelled && this.#next.step.kind === 'publish')
      this.#next = { delivery: this.#next.delivery, step: { kind: 'keep', reason: 'stopped' } }
    return this.#next
  }

  /** It was moved before, and only its ack did not arrive. */
  #isRepeat(delivery: Delivery): boolean {
    const { recent, tally, rules } = this.#task
    // Without an id two messages may be alike to the last byte; publishing one twice is better than never.
    if (recent.size === 0 || !readProperty(delivery.properties, 'messageId')) return false
    const move = recent.take(digestMessage(delivery))
    if (!move) return false
    delivery.ack()
    if (move.isCounted) this.#walk.extend()
    else tally.countMove({ ...move.to, cause: rules.causeOf(delivery) })
    return true
  }

  #mayStart(step: RedriveStep): boolean {
    if (step.kind === 'keep') return true
    const { window, pace } = this.#task
    if (this.#inFlight >= window.messages || this.#inFlightBytes >= window.bytes) return false
    return pace.take()
  }

  #publish(delivery: Delivery, step: PublishStep): void {
    const { publisher, rules } = this.#task
    this.#start(delivery)
    publisher.publishEncoded(rules.encode(delivery, step), (result) => {
      this.#stop(delivery)
      this.#settle(delivery, step, result)
      this.#pumpAfterResult()
    })
  }

  #settle(delivery: Delivery, step: PublishStep, result: PublishResult): void {
    const { tally, recent, digest, rules, onProgress } = this.#task
    if (result.kind !== 'confirmed') {
      const mayBeThere = result.kind === 'nacked' || (result.kind === 'unknown' && result.wasSent)
      if (mayBeThere) tally.duplicatesPossible += 1
      const kind = failureOf(result)
      tally.countFailure(kind)
      this.#task.onFailed?.(delivery, { exchange: step.exchange, key: step.key, kind })
      this.#hold(delivery)
      return
    }
    const to = { exchange: step.exchange, key: step.key }
    const itsDigest = digestMessage(delivery)
    digest.add(itsDigest)
    const isCounted = delivery.ack() === 'sent'
    recent.add(itsDigest, { isCounted, to })
    if (isCounted) tally.countMove({ ...to, cause: rules.causeOf(delivery) })
    if (result.mayBeDuplicate || !isCounted) tally.duplicatesPossible += 1
    onProgress()
  }

  #keep(delivery: Delivery, reason: KeepReason): void {
    // What was not looked at is still there, and not kept for a reason of its own.
    if (reason === 'over-the-limit') this.#walk.stop()
    if (reason !== 'over-the-limit' && reason !== 'stopped') {
      this.#task.tally.countKeep(reason)
      this.#task.onKept?.(delivery, reason)
    }
    this.#hold(delivery)
  }

  /** It stays in the queue: by giving it back at the end, or, where that would delete it, by a new copy. */
  #hold(delivery: Delivery): void {
    const { rules, publisher, tally } = this.#task
    this.#held += 1
    this.#walk.growIfNeeded()
    if (rules.mayReturn(delivery)) return
    this.#start(delivery)
    const onDone = (isRefreshed: boolean): void => {
      this.#stop(delivery)
      if (isRefreshed) {
        this.#held -= 1
        tally.refreshed += 1
      }
      this.pump()
    }
    refreshDelivery({ delivery, publisher, rules, onDone })
  }

  #start(delivery: Delivery): void {
    this.#inFlight += 1
    this.#inFlightBytes += delivery.bodyBytes
  }

  #stop(delivery: Delivery): void {
    this.#inFlight -= 1
    this.#inFlightBytes -= delivery.bodyBytes
  }
}
