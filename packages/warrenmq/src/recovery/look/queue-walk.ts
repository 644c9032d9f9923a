import type { Settled } from '../../broker/amqp/ack-ledger.ts'
import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import { inspectQueue } from '../../broker/amqp/declarations.ts'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import { asTimerMs } from '../../clock.ts'
import { lookTag } from '../../message/holding-tags.ts'
import { setOwnTimeout } from '../../own-timer.ts'
import type { FieldTable } from '../../wire/field-value.ts'
import { clearInterval, clearTimeout, setInterval } from '../../world.ts'
import { ConsumerRelay } from './consumer-relay.ts'

export interface WalkTask {
  /** Used by this walk alone; closing it gives back what was not settled, in order. */
  readonly channel: AmqpChannel
  readonly queue: string
  /** This many messages, and not one more: later arrivals are behind them. */
  readonly count: number
  /** These are all the messages in the queue. */
  readonly isWhole: boolean
  /** How many may be in flight at a time, besides those that are held; asked again for each consumer. */
  readonly prefetch: number
  /** The most that a consumer may be sent ahead, as long as there may be others. @default any number */
  readonly mostAhead?: (() => number) | undefined
  /** False: not now, whatever is held; `growIfNeeded` is called again later. @default always true */
  readonly mayGrow?: (() => boolean) | undefined
  /** @default 'warren-walk' */
  readonly consumerTag?: string | undefined
  /** @default none */
  readonly consumerArguments?: FieldTable | undefined
  /** What goes back is behind what came back before. True of quorum queues. */
  readonly returnsBehind: boolean
  /** Messages that were seen and stay unsettled until the channel closes. */
  readonly heldCount: () => number
  readonly onDelivery: (delivery: Delivery) => void
  /**
   * The most that may be held on the channel; then the walk is `full`, and another one continues. RabbitMQ walks
   * through the list of what a channel holds for every single ack. @default any number
   */
  readonly mostHeld?: number | undefined
  /** A message that was sent ahead and is not one of those counted. It goes back when the channel closes. */
  readonly onSentAhead: (delivery: Delivery) => void
  /** Acks that had to wait are in flight. */
  readonly onAcksSent?: () => void
  /** This many may be sent ahead from now on, and come again if their acks are lost. */
  readonly onCredit?: ((count: number) => void) | undefined
  /** @default 1500000 (25 minutes, below RabbitMQ's own limit of 30) */
  readonly maxHoldMs?: number
  /**
   * Nothing is settled after the walk. So if the time is up, its channel can be closed as it is: what crosses a cancel
   * would go back by itself, and out of its place. @default false
   */
  readonly settlesNothing?: boolean | undefined
  /** Messages have been held this long, perhaps since after the walk: they must go back now. */
  readonly onTimeUp?: () => void
}

/** Why a walk ended. `emptied`: others took what was left. `full`: its channel holds as much as it may. */
export type WalkEnd = 'all-seen' | 'emptied' | 'stopped' | 'held-too-long' | 'full' | 'lost'

const tickMs = 100
const quietTicks = 3
/** This many answers from a queue that does not know its consumer mean that the consumer is lost. */
const mostUnled = 30
/** The most that a consumer may be sent ahead: as much as AMQP can say, and no more bytes than this. */
const largestStep = 65_535
const aheadBytes = 64 * 1024 * 1024
/** The broker remembers the order of up to 32 consumers of a channel, and returns messages in it. */
const mostConsumers = 28

/**
 * One pass over the head of a queue. Messages that stay unsettled use up what the broker sends ahead, so
 * another consumer takes over whenever they have.
 */
export class QueueWalk {
  readonly #task: WalkTask
  readonly #relay: ConsumerRelay
  readonly #ended: Promise<WalkEnd>
  #end: (end: WalkEnd) => void = () => {}
  #isOver = false
  #isLost = false
  #isTimeUp = false
  #isLettingGo = false
  #hasSeenFresh = false
  #seen = 0
  #seenBytes = 0
  #beyondCount = 0
  #count: number
  /** What the consumer may hold, what all so far could, and how much was held when it took over. */
  #credit = 0
  #given = 0
  #heldBefore = 0
  #changing: Promise<void> = Promise.resolve()
  #unled = 0
  #stopTimers: () => void = () => {}

  constructor(task: WalkTask) {
    const { channel, queue, consumerTag = lookTag, consumerArguments, onAcksSent = () => {} } = task
    this.#task = task
    this.#count = task.count
    this.#relay = new ConsumerRelay({
      channel,
      queue,
      consumerTag,
      consumerArguments,
      onAcksSent,
      onDelivery: this.#receive,
      mayOverlap: !task.returnsBehind,
    })
    this.#ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  get seen(): number {
    return this.#seen
  }

  /** Messages beyond those counted that were sent ahead. */
  get beyondCount(): number {
    return this.#beyondCount
  }

  /** All acks of a walk go this way. */
  ack(delivery: Delivery): Settled {
    return this.#relay.ack(delivery)
  }

  /** Acknowledged, but the broker is not told yet. */
  get lateAcks(): number {
    return this.#relay.lateCount + this.#task.channel.owedAcks
  }

  /** Acknowledged, and not to be told before a consumer has ended. */
  get heldBackAcks(): number {
    return this.#relay.lateCount
  }

  /** Of the acks that were written, the broker can have seen all but so many. */
  get mostUnseenAcks(): number {
    return this.#relay.mostUnseenAcks
  }

  /** What is acknowledged now waits until nobody is left whom it would let the broker send to. */
  get holdsAcks(): boolean {
    return this.#relay.holdsAcks
  }

  /** Walks; settles when all are handed over. What was handed over may still be unsettled. */
  async run(): Promise<WalkEnd> {
    const { channel, prefetch } = this.#task
    if (this.#count === 0) return 'all-seen'
    if (this.#isOver) return this.#ended
    channel.events.on('closed', () => this.#finish('lost'))
    channel.events.on('cancelled', () => this.#abandon())
    this.#startTimers()
    try {
      await this.#takeOver(() => Math.min(prefetch, this.#count))
      this.growIfNeeded() // all that was sent ahead may have come with the answer
      const end = await this.#ended
      // Later arrivals are for others. A walk that ends before the end of the queue may not say so yet: what crosses a
      // cancel is given back by itself, and a quorum queue without a limit puts it at its end.
      if (this.#isAtEnd || end === 'emptied') await this.#stopConsuming()
      return end
    } catch (error) {
      this.#stopTimers()
      if (!channel.isOpen && channel.closeReason?.code !== 'CHANNEL_CLOSED_BY_BROKER') return 'lost'
      throw error
    }
  }

  /** Makes sure that all keep their places when the channel closes, and takes nothing more. */
  async finish(): Promise<void> {
    await this.takeReturned()
    if (!this.#isLost && !this.#isCutShort) await this.#stopConsuming()
  }

  /**
   * A quorum queue delivers what came back before what never did, and puts what comes back now behind everything that
   * came back before. To keep the order, the walk continues to the first message that never came back; it is held like
   * the others.
   */
  async takeReturned(): Promise<void> {
    const { returnsBehind, heldCount } = this.#task
    const isAtEnd = this.#isAtEnd
    this.stop()
    try {
      await this.#changing
      if (!returnsBehind || isAtEnd) return
      await this.#useUpCredit()
      if (this.#isCutShort) return
      if (!this.#isLost) await this.#relay.cancel()
      this.#relay.releaseAcks() // no consumer is left to which they would let the broker send more
      if (heldCount() > 0) await this.#goOnToFresh()
    } catch {
      this.#finish('lost') // then all has gone back already, in whatever order
    } finally {
      this.#relay.releaseAcks()
      this.#stopTimers()
    }
  }

  /** Until nothing can cross a cancel. */
  async #useUpCredit(): Promise<void> {
    while (!this.#relay.isExhausted && !this.#isLost && !this.#isTimeUp) {
      await this.#relay.whenExhausted()
      if (this.#relay.isExhausted) return
      const { messageCount } = await this.#inspect()
      if (messageCount === 0 && (await this.#hasNothingOnItsWay())) return
    }
  }

  get #isCutShort(): boolean {
    return this.#isTimeUp && this.#task.settlesNothing === true
  }

  /** After the last one there are only later arrivals. */
  get #isAtEnd(): boolean {
    return this.#task.isWhole && this.#seen >= this.#count
  }

  async #stopConsuming(): Promise<void> {
    await this.#changing
    await this.#relay.cancel()
  }

  async #goOnToFresh(): Promise<void> {
    this.#hasSeenFresh = false
    for (let isFirst = true; !this.#hasSeenFresh && !this.#isLost && !this.#isTimeUp; isFirst = false) {
      const { messageCount } = await this.#inspect()
      if (messageCount === 0) return
      const step = isFirst ? 1 : this.#stepFor(messageCount)
      await this.#takeOver(() => step)
      await this.#useUpCredit()
    }
  }

  /**
   * The broker took back what the consumer held (since 4.3 a timeout does that), and an ack for one of its tags would
   * be a fault. A closed channel makes all of them stale, so nothing can send one.
   */
  #abandon(): void {
    void this.#task.channel.close()
    this.#finish('lost')
  }

  /** One of the messages seen did not belong to those counted. */
  extend(): void {
    this.#count += 1
  }

  /** Takes no more. Acks wait from now on, because they would let the broker send on. */
  stop(): void {
    this.#relay.holdAcks()
    this.#finish('stopped')
  }

  /** Takes no more and ends its consumer; acks wait no longer than that takes. */
  async letGo(): Promise<void> {
    this.stop()
    await this.#changing
    this.#changing = this.#endConsumer().catch(() => this.#finish('lost'))
    await this.#changing
  }

  /** It is over, and what it holds goes back with its channel. */
  close(): void {
    this.#stopTimers()
  }

  /** The broker sends everything it may before it is told to stop, so that nothing crosses the cancel. */
  async #endConsumer(): Promise<void> {
    if (this.#task.returnsBehind) await this.#useUpCredit()
    if (!this.#isLost) await this.#relay.cancel()
    this.#relay.releaseAcks()
  }

  #handOver(): void {
    this.#isLettingGo = true
    this.#relay.holdAcks()
    this.#changing = this.#endConsumer().then(
      () => this.#finish('full'),
      () => this.#finish('lost'),
    )
  }

  /** Asks for more when what is held has used up what the broker may send ahead; call it after each hold. */
  growIfNeeded(): void {
    const { prefetch, heldCount, mayGrow, mostHeld = Number.POSITIVE_INFINITY } = this.#task
    if (this.#isOver || this.#isLettingGo || this.#relay.isChanging || mayGrow?.() === false) return
    const free = this.#credit - heldCount() + this.#heldBefore
    if (free > prefetch / 2 || free >= this.#count - this.#seen) return
    if (heldCount() + prefetch / 2 >= mostHeld) {
      this.#handOver()
      return
    }
    this.#changing = this.#takeOver(() => this.#stepFor(this.#count - this.#seen)).then(
      () => this.growIfNeeded(),
      () => this.#finish('lost'),
    )
  }

  /** Twice as many each time, and enough that the consumers suffice for what is left. */
  #stepFor(left: number): number {
    const { prefetch, mostAhead } = this.#task
    const consumersLeft = Math.max(1, mostConsumers - this.#relay.startedCount)
    const wanted = Math.max(prefetch, this.#given, Math.ceil(left / consumersLeft))
    const mostByBytes = Math.ceil(aheadBytes / (1 + this.#seenBytes / Math.max(1, this.#seen)))
    const mostByPace = consumersLeft > 1 ? (mostAhead?.() ?? largestStep) : largestStep
    return Math.max(1, Math.min(largestStep, Math.max(prefetch, mostByBytes), wanted, left, mostByPace))
  }

  #takeOver(prefetch: () => number): Promise<void> {
    return this.#relay.change(() => {
      this.#credit = prefetch()
      this.#task.onCredit?.(this.#credit)
      this.#given += this.#credit
      this.#heldBefore = this.#task.heldCount()
      return this.#credit
    })
  }

  readonly #receive = (delivery: Delivery): void => {
    if (!delivery.isRedelivered) this.#hasSeenFresh = true
    if (this.#isOver) {
      if (this.#seen < this.#count) this.#seen += 1
      else this.#beyondCount += 1
      this.#task.onSentAhead(delivery)
      return
    }
    this.#seen += 1
    this.#seenBytes += delivery.bodyBytes
    this.#task.onDelivery(delivery)
    if (this.#seen >= this.#count) this.#finish('all-seen')
    else this.growIfNeeded()
  }

  #startTimers(): void {
    const { maxHoldMs = 25 * 60_000 } = this.#task
    const holding = setOwnTimeout(() => {
      this.#isTimeUp = true
      this.#finish('held-too-long')
      this.#task.onTimeUp?.()
    }, asTimerMs(maxHoldMs))
    let seenBefore = 0
    let quiet = 0
    const ticking = setInterval(() => {
      quiet = this.#seen === seenBefore ? quiet + 1 : 0
      seenBefore = this.#seen
      if (quiet >= quietTicks && !this.#isOver) void this.#endIfEmptied()
    }, tickMs)
    this.#stopTimers = () => {
      clearTimeout(holding)
      clearInterval(ticking)
    }
  }

  async #endIfEmptied(): Promise<void> {
    const seenBefore = this.#seen
    try {
      const { messageCount, consumerCount } = await this.#inspect()
      if (this.#seen !== seenBefore || !(await this.#hasNothingOnItsWay())) return
      // A quorum queue without a leader says that it holds nothing, and has no consumer; one with a leader knows ours.
      this.#unled = consumerCount === 0 ? this.#unled + 1 : 0
      if (this.#unled >= mostUnled) this.#finish('lost')
      else if (messageCount === 0 && consumerCount > 0) this.#finish('emptied')
    } catch {
      this.#finish('lost') // the queue or the connection is gone, and the channel of the walk with it
    }
  }

  /**
   * Messages that are handed out and have not come yet are not ready either. They come before the second answer:
   * the queue sends them before it answers the channel, which passes on one thing after the other.
   */
  async #hasNothingOnItsWay(): Promise<boolean> {
    const cameBefore = this.#seen + this.#beyondCount
    for (let round = 0; round < 2; round += 1) await this.#inspect()
    return this.#seen + this.#beyondCount === cameBefore
  }

  #inspect(): ReturnType<typeof inspectQueue> {
    return inspectQueue(this.#task.channel, this.#task.queue)
  }

  #finish(end: WalkEnd): void {
    this.#isOver = true
    if (end === 'lost') {
      this.#isLost = true
      this.#stopTimers()
    }
    this.#relay.abandonChange()
    this.#end(end)
  }
}
