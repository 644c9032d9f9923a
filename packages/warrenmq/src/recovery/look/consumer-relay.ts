import type { Settled } from '../../broker/amqp/ack-ledger.ts'
import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import { setOwnTimeout } from '../../own-timer.ts'
import type { FieldTable } from '../../wire/field-value.ts'
import { clearTimeout } from '../../world.ts'

export interface RelayTask {
  readonly channel: AmqpChannel
  readonly queue: string
  /** Of the first consumer; the others have numbers behind it. */
  readonly consumerTag: string
  /** Of every consumer. @default none */
  readonly consumerArguments?: FieldTable | undefined
  /** The queue gives back in place, so that consumers may be served in turns. */
  readonly mayOverlap: boolean
  readonly onDelivery: (delivery: Delivery) => void
  /** Acks that waited for a change of consumers are in flight. */
  readonly onAcksSent: () => void
}

const lookAgainMs = 50

/**
 * One consumer after the other, of which only the last is sent anything. A quorum queue gives back what a channel
 * holds consumer by consumer: two that were served in turns would put their messages one behind the other.
 */
export class ConsumerRelay {
  readonly #task: RelayTask
  readonly #late: Delivery[] = []
  readonly #tags: string[] = []
  /** Of the last consumer; empty if there is none. */
  #tag = ''
  #started = 0
  #credit = 0
  /** Deliveries of the last consumer that are not acknowledged. */
  #open = 0
  #isChanging = false
  #isAbandoned = false
  #holdsAcks = false
  #wake: () => void = () => {}

  constructor(task: RelayTask) {
    this.#task = task
  }

  /** Consumers so far. */
  get startedCount(): number {
    return this.#started
  }

  get isChanging(): boolean {
    return this.#isChanging
  }

  /** Acknowledged, but the broker is not told yet. */
  get lateCount(): number {
    return this.#late.length
  }

  get holdsAcks(): boolean {
    return this.#holdsAcks
  }

  /** The broker may send nothing more before something is acknowledged. */
  get isExhausted(): boolean {
    return this.#open >= this.#credit
  }

  /**
   * Of the acks that were written, the broker has seen all but so many, because it sends no more than the prefetch: what
   * it has not seen an ack for cannot be more. Of consumers that have ended nobody can tell.
   */
  get mostUnseenAcks(): number {
    const isFirst = this.#tag !== '' && this.#started === 1
    return isFirst ? this.#credit - this.#open : Number.POSITIVE_INFINITY
  }

  /** Acknowledges; during a change the ack waits, because it would let the broker send on to the old consumer. */
  ack(delivery: Delivery): Settled {
    if (!this.#task.mayOverlap && (this.#isChanging || this.#holdsAcks)) {
      if (!delivery.isCurrent) return 'stale'
      this.#late.push(delivery)
      return 'sent'
    }
    const settled = delivery.ack()
    if (settled === 'sent' && delivery.consumerTag === this.#tag) this.#open -= 1
    return settled
  }

  /**
   * Lets another consumer take over when the one before has all that it may hold: what crosses a cancel would be
   * given back by itself, and out of its place.
   */
  async change(prefetch: () => number): Promise<void> {
    this.#isChanging = true
    this.#isAbandoned = false
    try {
      if (!this.#task.mayOverlap) await this.#end()
      if (!this.#isAbandoned) await this.#start(prefetch())
    } finally {
      this.#isChanging = false
      this.#sendLate()
    }
  }

  /** No other consumer is needed after all. */
  abandonChange(): void {
    if (!this.#isChanging) return
    this.#isAbandoned = true
    this.#wake()
  }

  /** Acks wait until `releaseAcks`. */
  holdAcks(): void {
    this.#task.channel.flushAcks()
    this.#holdsAcks = true
  }

  releaseAcks(): void {
    this.#holdsAcks = false
    this.#sendLate()
  }

  /** Ends the consumers that there are. */
  async cancel(): Promise<void> {
    this.#tag = ''
    this.#credit = 0
    this.#open = 0
    await Promise.all(this.#tags.splice(0).map((tag) => this.#task.channel.cancel(tag)))
  }

  async #end(): Promise<void> {
    this.#task.channel.flushAcks()
    while (!this.isExhausted && !this.#isAbandoned) await this.whenExhausted()
    if (!this.#isAbandoned) await this.cancel()
  }

  /** Resolves when the consumer has all that it may hold, and sometimes before. */
  whenExhausted(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setOwnTimeout(resolve, lookAgainMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #start(prefetch: number): Promise<void> {
    const { channel, queue, consumerTag, consumerArguments = [] } = this.#task
    this.#started += 1
    // 3.10 goes by the order of the tags as text.
    const number = this.#started === 1 ? '' : `-${String(this.#started).padStart(6, '0')}`
    const tag = `${consumerTag}${number}`
    this.#tag = tag
    this.#tags.push(tag)
    this.#credit = prefetch
    this.#open = 0
    await channel.setPrefetch(prefetch)
    await channel.consume(queue, this.#receive, { consumerTag: tag, arguments: consumerArguments })
  }

  readonly #receive = (delivery: Delivery): void => {
    if (delivery.consumerTag === this.#tag) this.#open += 1
    this.#task.onDelivery(delivery)
    if (this.#open >= this.#credit) this.#wake()
  }

  #sendLate(): void {
    if (this.#holdsAcks || this.#isChanging || this.#late.length === 0) return
    for (const delivery of this.#late.splice(0)) this.ack(delivery)
    this.#task.onAcksSent()
  }
}
