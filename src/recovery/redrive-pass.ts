import type { AmqpChannel } from '../broker/amqp/channel.ts'
import type { Delivery } from '../broker/amqp/delivery.ts'
import { createFifo, type Fifo } from '../publisher/fifo.ts'
import type { EncodedMessage } from '../publisher/outgoing-message.ts'
import type { PublishResult } from '../publisher/publish-result.ts'
import type { Publisher } from '../publisher/publisher.ts'
import type { FieldTable } from '../wire/field-value.ts'
import { digestBody, type SetDigest } from './digest-message.ts'
import { describeFailure, type FailedPublish } from './failed-publish.ts'
import type { Pace } from './pace.ts'
import type { KeepReason, RedriveStep } from './plan-redrive.ts'
import type { RecentMoves } from './recent-moves.ts'
import { RedriveRepeats } from './redrive-repeats.ts'
import type { RedriveTally } from './redrive-tally.ts'
import { RedriveWindow } from './redrive-window.ts'
import { Refreshes, type RefreshRules } from './refreshes.ts'
import { QueueWalk, type WalkEnd } from './walk-queue.ts'

/** What a pass asks about a message; nothing here touches the broker. */
export interface PassRules extends RefreshRules {
  /** Where it goes, or why it stays. Asked once per delivery, in order. */
  decide(delivery: Delivery): RedriveStep
  /** As many as were asked for are decided on, so no more are wanted. */
  isLimitReached(): boolean
  encode(delivery: Delivery, step: PublishStep): EncodedMessage
  /** What goes back stands behind what came back before, and not where it was. */
  readonly returnsBehind: boolean
  /** The queue counts into a message how often it took it back. */
  readonly countsReturns: boolean
  /** For whoever consumes from the queue. */
  readonly consumerArguments: FieldTable
  causeOf(delivery: Delivery): { readonly id: string; readonly label: string }
}

export type PublishStep = Extract<RedriveStep, { kind: 'publish' }>

export interface PublishGate {
  take(step: PublishStep): boolean
  /** One that was let through has its answer, or was not sent after all. */
  settled(): void
}

export interface PassTask {
  readonly channel: AmqpChannel
  readonly publisher: Publisher
  readonly queue: string
  readonly count: number
  readonly window: { readonly messages: number; readonly bytes: number }
  readonly rules: PassRules
  readonly tally: RedriveTally
  readonly recent: RecentMoves
  /** So many more are in the queue than should be: no more can have been moved and come again. */
  readonly surplus: number
  readonly digest: SetDigest
  readonly pace: Pace
  /** Each must let a publish go, or calls `pump` later. */
  readonly gates: readonly PublishGate[]
  /** @default 1500000 */
  readonly maxHoldMs?: number
  /** What the broker may send ahead. @default window.messages */
  readonly prefetch?: number
  readonly consumerTag?: string
  /** The first message is here. */
  readonly onFirst: () => void
  readonly onProgress: () => void
  readonly onKept?: ((message: Delivery, reason: KeepReason) => void) | undefined
  readonly onFailed?: ((message: Delivery, failure: FailedPublish) => void) | undefined
}

interface Settling {
  readonly delivery: Delivery
  readonly message: EncodedMessage
  readonly step: PublishStep
  readonly result: PublishResult
}

/**
 * One pass: deliveries in, publishes out, each acknowledged when its publish is confirmed and was not
 * returned. What stays is held until the channel closes, which gives it back in order.
 */
export class RedrivePass {
  readonly #task: PassTask
  readonly #walk: QueueWalk
  readonly #waiting: Fifo<Delivery> = createFifo()
  #next: { delivery: Delivery; step: RedriveStep } | undefined
  #isCancelled = false
  #failure: { readonly error: unknown } | undefined
  #whenIdle: (() => void) | undefined
  #isPumpDue = false
  readonly #window: RedriveWindow
  readonly #repeats: RedriveRepeats
  readonly #refreshes: Refreshes
  #isTimeUp = false
  #hasFirst = false
  #gaveBack = 0

  constructor(task: PassTask) {
    this.#task = task
    this.#repeats = new RedriveRepeats(task)
    this.#refreshes = new Refreshes({ ...task, ack: (delivery) => this.#walk.ack(delivery) })
    const { channel, queue, count, window, consumerTag, prefetch = window.messages } = task
    this.#window = new RedriveWindow({ ...window, lateAcks: () => this.#walk.lateAcks })
    this.#walk = new QueueWalk({
      channel,
      queue,
      count,
      isWhole: true,
      consumerTag,
      prefetch,
      consumerArguments: task.rules.consumerArguments,
      ...(task.maxHoldMs === undefined ? {} : { maxHoldMs: task.maxHoldMs }),
      returnsBehind: task.rules.returnsBehind,
      heldCount: () => this.#refreshes.heldCount,
      onDelivery: this.#receive,
      onExtra: (delivery) => this.#hold(delivery),
      onAcksSent: () => this.#pumpSoon(),
      onTimeUp: () => this.#giveBack(),
      onCredit: (count) => task.recent.makeRoom(2 * count),
    })
  }

  readonly #receive = (delivery: Delivery): void => {
    if (!this.#hasFirst) this.#task.onFirst()
    this.#hasFirst = true
    try {
      // At once: it makes the walk longer, which may be about to end.
      if (this.#isRepeat(delivery)) return
    } catch (error) {
      this.fail(error) // it cannot be read
    }
    this.#waiting.push(delivery)
    this.#pumpSoon()
  }

  /** Settles when every delivery is decided and every publish has its result. The channel is still open. */
  async run(): Promise<WalkEnd> {
    // What waits went back with the channel, and would be published for nothing.
    this.#task.channel.events.on('closed', () => this.pump())
    const end = await this.#walk.run().catch((error: unknown) => {
      this.fail(error) // what is under way is waited for all the same
      return 'lost' as const
    })
    await this.#idle()
    await this.#walk.takeReturned()
    await this.#idle()
    if (this.#failure) throw this.#failure.error
    return this.isHeldUp && end !== 'lost' ? 'held-too-long' : end
  }

  /** It gave back what waited for its turn, because the broker would have taken it. */
  get isHeldUp(): boolean {
    return this.#gaveBack > 0
  }

  async #idle(): Promise<void> {
    this.pump()
    if (this.#isIdle) return
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve
    })
  }

  /** Messages beyond those counted that were sent ahead. */
  get extraCount(): number {
    return this.#walk.extraCount
  }

  /** What still waits for a pace or a gate goes back in time, and is taken again by the next pass. */
  #giveBack(): void {
    if (this.#isCancelled) return
    this.#isTimeUp = true
    this.cancel()
  }

  /** Takes no more; what is under way is finished. */
  cancel(): void {
    this.#isCancelled = true
    this.#walk.stop()
    this.pump()
  }

  /**
   * Waits for no more answers: those under way may arrive, and go back all the same. Not while a copy is under way
   * without which giving a message back would delete it.
   */
  abandon(): void {
    const { tally, channel } = this.#task
    if (!this.#refreshes.isIdle && channel.isOpen) return
    tally.isAbandoned = true
    tally.duplicatesPossible += this.#window.abandon()
    this.pump()
  }

  /** Goes on with what waits; called when there is room again. */
  pump(): void {
    try {
      this.#startAll()
    } catch (error) {
      this.fail(error) // it cannot be decided or encoded
    }
    if (this.#isIdle) this.#whenIdle?.()
  }

  /** Ends the pass with an error; what is under way is finished. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    if (this.#next) this.#repeats.remember(this.#next.delivery)
    this.#next = undefined
    this.cancel()
  }

  #startAll(): void {
    for (let next = this.#takeNext(); next && this.#mayStart(next.step); next = this.#takeNext()) {
      this.#next = undefined
      if (next.step.kind === 'keep') this.#keep(next.delivery, next.step.reason)
      else this.#publish(next.delivery, next.step)
    }
  }

  /** What one read brings goes out in one write. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return
    this.#isPumpDue = true
    process.nextTick(this.#pumpDue)
  }

  readonly #pumpDue = (): void => {
    this.#isPumpDue = false
    this.pump()
  }

  get #isIdle(): boolean {
    return this.#window.isEmpty && this.#waiting.size === 0 && this.#next === undefined
  }

  #takeNext(): { delivery: Delivery; step: RedriveStep } | undefined {
    if (this.#next?.delivery.isCurrent === false) {
      this.#seeTakenBack(this.#next.delivery)
      this.#next = undefined
    }
    while (!this.#next) {
      const delivery = this.#waiting.shift()
      if (!delivery) return undefined
      if (!delivery.isCurrent) {
        this.#seeTakenBack(delivery)
        continue
      }
      // Acks that wait use up the window, and go out only when nothing waits here any more.
      const isOver = this.#isCancelled || (this.#walk.holdsAcks && this.#repeats.isUnproved(delivery))
      const step: RedriveStep = isOver
        ? { kind: 'keep', reason: 'stopped' }
        : (this.#repeats.stepOf(delivery) ?? this.#task.rules.decide(delivery))
      this.#next = { delivery, step }
    }
    if (this.#isCancelled && this.#next.step.kind === 'publish')
      this.#next = { delivery: this.#next.delivery, step: { kind: 'keep', reason: 'stopped' } }
    return this.#next
  }

  /** The broker has taken it back before its turn, and hands it to the next pass. */
  #seeTakenBack(delivery: Delivery): void {
    this.#repeats.remember(delivery)
    this.#repeats.seeLeft(delivery)
  }

  /** It was moved before, and only its ack did not arrive. */
  #isRepeat(delivery: Delivery): boolean {
    const { tally, rules } = this.#task
    const repeat = this.#repeats.find(delivery)
    if (!repeat) return false
    const { move, isProved } = repeat
    if (isProved) this.#walk.ack(delivery)
    if (move.isCounted) this.#walk.extend()
    else {
      tally.countMove(move.to, rules.causeOf(delivery))
      this.#stopAtLimit()
    }
    return isProved
  }

  /** No more are wanted, unless some are still to come that count and were moved before. */
  #stopAtLimit(): void {
    if (this.#task.rules.isLimitReached() && !this.#repeats.hasProvedLeft) this.#walk.stop()
  }

  #mayStart(step: RedriveStep): boolean {
    if (step.kind === 'keep') return true
    const { pace, gates, channel } = this.#task
    // Confirmed and not acknowledged is there twice if this process dies now.
    if (this.#window.isFull) channel.sendAcks()
    if (this.#window.isFull || !pace.take()) return false
    for (let index = 0; index < gates.length; index += 1) {
      if (gates[index]!.take(step)) continue
      for (const passed of gates.slice(0, index)) passed.settled()
      return false
    }
    return true
  }

  #publish(delivery: Delivery, step: PublishStep): void {
    const { publisher, rules, gates, tally } = this.#task
    const message = rules.encode(delivery, step)
    this.#stopAtLimit()
    this.#window.start(delivery.bodyBytes)
    publisher.publishEncoded(message, (result) => {
      if (tally.isAbandoned) return
      this.#window.finish(delivery.bodyBytes)
      for (const gate of gates) gate.settled()
      this.#settle({ delivery, message, step, result })
      this.#pumpSoon()
    })
  }

  #settle({ delivery, message, step, result }: Settling): void {
    const { tally, recent, digest, rules, onProgress } = this.#task
    const isAgain = this.#repeats.isUnproved(delivery)
    if (result.kind !== 'confirmed') {
      const mayBeThere = result.kind === 'nacked' || (result.kind === 'unknown' && result.wasSent)
      if (mayBeThere) tally.duplicatesPossible += 1
      if (isAgain) {
        this.#holdAgain(delivery)
        return
      }
      const failure = describeFailure(step, result)
      tally.countFailure(failure)
      this.#task.onFailed?.(delivery, failure)
      this.#hold(delivery)
      return
    }
    if (isAgain) {
      this.#settleAgain(delivery)
      return
    }
    const { messageId: id } = result
    if (id === undefined) tally.hasUnnamed = true
    const itsDigest = digestBody(delivery)
    // What was edited on its way is not what was taken.
    digest.add(message.body === delivery.body ? itsDigest : digestBody(message), id)
    const isCounted = this.#walk.ack(delivery) === 'sent'
    const { mayBeDuplicate } = result
    const cause = rules.causeOf(delivery)
    recent.add({
      id: id ?? '',
      // A part of what was read would keep all of it in memory, bodies and all.
      properties: Buffer.from(delivery.properties),
      digest: itsDigest,
      isCounted,
      to: step,
      cause: isCounted ? undefined : cause,
      mayBeDuplicate,
    })
    if (isCounted) tally.countMove(step, cause)
    if (mayBeDuplicate || !isCounted) tally.duplicatesPossible += 1
    onProgress()
  }

  #settleAgain(delivery: Delivery): void {
    const { tally, onProgress } = this.#task
    this.#repeats.remember(delivery)
    this.#walk.ack(delivery)
    tally.duplicatesPossible += 1
    onProgress()
  }

  /** It is counted as moved, and still there. */
  #holdAgain(delivery: Delivery): void {
    this.#repeats.remember(delivery)
    this.#hold(delivery)
  }

  #keep(delivery: Delivery, reason: KeepReason): void {
    if (reason === 'stopped' && this.#isTimeUp) this.#gaveBack += 1
    if (this.#repeats.isUnproved(delivery)) {
      this.#holdAgain(delivery)
      return
    }
    // What was not looked at is still there, and not kept for a reason of its own.
    if (reason === 'over-the-limit') this.#stopAtLimit()
    else if (reason === 'came-back') this.#countCameBack()
    else if (reason !== 'stopped') {
      this.#task.tally.countKeep(reason)
      this.#task.onKept?.(delivery, reason)
    }
    this.#hold(delivery)
  }

  /** It arrived during the run, so it is none of those that were counted at the start. */
  #countCameBack(): void {
    this.#task.tally.cameBackCount += 1
    this.#walk.extend()
  }

  /** It stays in the queue: by giving it back at the end, or, where that would delete it, by a new copy. */
  #hold(delivery: Delivery): void {
    this.#repeats.seeLeft(delivery)
    const isUnderWay = this.#refreshes.leave(delivery, (end) => {
      this.#window.finish(delivery.bodyBytes)
      if (end === 'refreshed') this.#task.tally.refreshed += 1
      else this.#walk.growIfNeeded()
      if (end === 'held-with-copy') this.#task.tally.duplicatesPossible += 1
      this.pump()
    })
    if (isUnderWay) this.#window.start(delivery.bodyBytes)
    else this.#walk.growIfNeeded()
  }
}
