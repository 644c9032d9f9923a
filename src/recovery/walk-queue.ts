import type { AmqpChannel } from '../broker/amqp/channel.ts'
import type { Delivery } from '../broker/amqp/delivery.ts'
import { inspectQueue } from '../broker/amqp/operations.ts'

export interface WalkTask {
  /** Used by this walk alone; closing it gives back what was not settled, in order. */
  readonly channel: AmqpChannel
  /** To ask how many are left; on the same connection. */
  readonly probe: AmqpChannel
  readonly queue: string
  /** So many messages, and not one more: what arrives later stands behind them. */
  readonly count: number
  /** How many may be under way at a time, besides those that are held. */
  readonly prefetch: number
  /** @default the channel's own */
  readonly consumerTag?: string | undefined
  /** Messages that were seen and stay unsettled until the channel closes. */
  readonly heldCount: () => number
  readonly onDelivery: (delivery: Delivery) => void
  /** A message that was sent ahead and is not one of those counted. It goes back when the channel closes. */
  readonly onExtra: (delivery: Delivery) => void
  /** @default 1500000 (25 minutes, below RabbitMQ's own limit of 30) */
  readonly maxHoldMs?: number
}

/** Why a walk ended. `emptied`: others took what was left. */
export type WalkEnd = 'all-seen' | 'emptied' | 'stopped' | 'held-too-long' | 'lost'

const tickMs = 100
const quietTicks = 3
/** The most that one more consumer may be sent ahead. */
const largestStep = 8_192

/**
 * One pass over the head of a queue. Messages that stay unsettled use up what the broker sends ahead, so
 * another consumer is added whenever they have; the broker hands out in order all the same.
 */
export class QueueWalk {
  readonly #task: WalkTask
  readonly #tags: string[] = []
  readonly #ended: Promise<WalkEnd>
  #end: (end: WalkEnd) => void = () => {}
  #isOver = false
  #seen = 0
  #count: number
  #credit = 0
  #isAdding = false
  #adding: Promise<void> = Promise.resolve()
  #stopTimers: () => void = () => {}

  constructor(task: WalkTask) {
    this.#task = task
    this.#count = task.count
    this.#ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  get seen(): number {
    return this.#seen
  }

  /** Walks; settles when nothing more is handed over. What was handed over may still be unsettled. */
  async run(): Promise<WalkEnd> {
    const { channel, prefetch } = this.#task
    if (this.#count === 0) return 'all-seen'
    channel.events.on('closed', () => this.#finish('lost'))
    channel.events.on('cancelled', () => this.#abandon())
    this.#startTimers()
    try {
      await this.#addConsumer(Math.min(prefetch, this.#count))
      this.growIfNeeded() // all that was sent ahead may have come with the answer
      const end = await this.#ended
      if (end !== 'lost') await this.#cancelConsumers()
      return end
    } catch (error) {
      if (!channel.isOpen && channel.closeReason?.code !== 'CHANNEL_CLOSED_BY_BROKER') return 'lost'
      throw error
    } finally {
      this.#stopTimers()
    }
  }

  /**
   * The broker took back what the consumer held (since 4.3 a time-out does that), and an ack for one of its tags
   * would be a fault. A closed channel makes all of them stale, so nobody can send one.
   */
  #abandon(): void {
    void this.#task.channel.close()
    this.#finish('lost')
  }

  /** One of the messages seen did not belong to those counted. */
  extend(): void {
    this.#count += 1
  }

  stop(): void {
    this.#finish('stopped')
  }

  /** Asks for more when what is held has used up what the broker may send ahead; call it after each hold. */
  growIfNeeded(): void {
    if (this.#isOver) return
    const { prefetch, heldCount } = this.#task
    const held = heldCount()
    if (this.#isAdding || this.#credit >= this.#count || this.#credit - held > prefetch / 2) return
    const step = Math.min(largestStep, Math.max(prefetch, held), this.#count - this.#seen)
    this.#adding = this.#addConsumer(Math.max(1, step)).then(
      () => {
        this.growIfNeeded()
      },
      () => this.#finish('lost'),
    )
  }

  readonly #receive = (delivery: Delivery): void => {
    if (this.#isOver) {
      this.#task.onExtra(delivery)
      return
    }
    this.#seen += 1
    this.#task.onDelivery(delivery)
    if (this.#seen >= this.#count) this.#finish('all-seen')
    else this.growIfNeeded()
  }

  /** One after the other: the answer to a consume may come behind that to the next question. */
  async #addConsumer(prefetch: number): Promise<void> {
    const { channel, queue, consumerTag } = this.#task
    const number = this.#tags.length === 0 ? '' : `-${this.#tags.length + 1}`
    this.#isAdding = true
    this.#credit += prefetch
    await channel.setPrefetch(prefetch)
    const options = consumerTag === undefined ? {} : { consumerTag: `${consumerTag}${number}` }
    this.#tags.push(await channel.consume(queue, this.#receive, options))
    this.#isAdding = false
  }

  async #cancelConsumers(): Promise<void> {
    for (let adding: unknown; adding !== this.#adding; ) {
      adding = this.#adding
      await adding
    }
    await Promise.all(this.#tags.map((tag) => this.#task.channel.cancel(tag)))
  }

  #startTimers(): void {
    const { maxHoldMs = 25 * 60_000 } = this.#task
    const holding = setTimeout(() => this.#finish('held-too-long'), maxHoldMs)
    let seenBefore = 0
    let quiet = 0
    const ticking = setInterval(() => {
      quiet = this.#seen === seenBefore ? quiet + 1 : 0
      seenBefore = this.#seen
      if (quiet >= quietTicks) void this.#endIfEmptied()
    }, tickMs)
    this.#stopTimers = () => {
      clearTimeout(holding)
      clearInterval(ticking)
    }
  }

  async #endIfEmptied(): Promise<void> {
    const { probe, queue } = this.#task
    const seenBefore = this.#seen
    try {
      const { messageCount } = await inspectQueue(probe, queue)
      if (messageCount === 0 && this.#seen === seenBefore) this.#finish('emptied')
    } catch {
      this.#finish('lost') // the queue or the connection is gone, and the channel of the walk with it
    }
  }

  #finish(end: WalkEnd): void {
    this.#isOver = true
    this.#end(end)
  }
}
