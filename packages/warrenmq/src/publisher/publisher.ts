import type { AmqpChannel } from '../broker/amqp/channel.ts'
import { enableConfirms } from '../broker/amqp/declarations.ts'
import type { ReturnedMessage } from '../broker/amqp/message.ts'
import { pause } from '../broker/amqp/pause.ts'
import type { Session } from '../broker/amqp/session.ts'
import type { SupervisedChannel } from '../broker/amqp/supervised-channel.ts'
import { longestTimerMs } from '../clock.ts'
import { ConnectionError, PublishError, type PublishErrorCode, type WarrenError } from '../errors.ts'
import { createFifo, type Fifo } from '../fifo.ts'
import { type Duration, parseDuration } from '../message/duration.ts'
import { refuseUnknown } from '../message/refuse-unknown.ts'
import { sizeOfBody } from '../wire/frame-writer.ts'
import { clearInterval, dateNow, setInterval } from '../world.ts'
import { ChannelRenewal } from './channel-renewal.ts'
import { type ConfirmLedger, createConfirmLedger } from './confirm-ledger.ts'
import { decideResend } from './decide-resend.ts'
import { decideReturned } from './decide-returned.ts'
import { createMessageIds } from './message-ids.ts'
import { checkAddress, type EncodedMessage, encodeMessage, type OutgoingMessage } from './outgoing-message.ts'
import { type PendingPublish, tell, unknown } from './pending-publish.ts'
import { createPublishMethods } from './publish-methods.ts'
import type { PublishResult } from './publish-result.ts'
import {
  type PublisherOptions,
  type SettledPublisherOptions,
  settlePublisherOptions,
} from './settle-publisher-options.ts'

export type { PublisherOptions }

const frameOverheadBytes = 64

/** Publishes with confirms on a channel of its own; every publish settles exactly once. */
export class Publisher {
  readonly #session: Session
  readonly #channel: SupervisedChannel
  readonly #options: SettledPublisherOptions
  readonly #waiting: Fifo<PendingPublish> = createFifo()
  readonly #methodFor = createPublishMethods()
  readonly #nextId = createMessageIds()
  readonly #renewal: ChannelRenewal
  readonly #stopListening: () => void
  #unanswered: ConfirmLedger<PendingPublish>
  #unansweredBytes = 0
  #lastReturnedTag = 0
  #hasGivenUp = false
  #waitingBytes = 0
  #sweeper: NodeJS.Timeout | undefined
  #isWaitingForDrain = false
  #isClosed = false
  #roomWaiters: (() => void)[] = []
  #idleWaiters: (() => void)[] = []

  /** @internal */
  constructor(session: Session, options: PublisherOptions = {}) {
    this.#session = session
    this.#options = settlePublisherOptions(options)
    this.#unanswered = createConfirmLedger(this.#options.window.messages)
    this.#renewal = new ChannelRenewal({
      unansweredCount: () => this.#unanswered.size,
      closeChannel: () => void this.#channel.current?.close(),
      resume: this.#pump,
    })
    this.#channel = session.superviseChannel('publisher', enableConfirms, { isForPublishing: true })
    this.#channel.events.on('opened', ({ channel }) => this.#opened(channel))
    this.#channel.events.on('ended', () => this.#ended())
    this.#channel.events.on('lost', ({ error }) => this.#lost(error as WarrenError | undefined))
    this.#stopListening = session.events.on('connection.unblocked', () => this.#pump())
  }

  /**
   * Publishes and tells what became of it. Never rejects for what the broker did, never hangs.
   * @example
   * ```ts
   * const result = await publisher.publish({ exchange: 'orders.events', key: 'order.placed', body: { id: 42 } })
   * ```
   */
  publish(message: OutgoingMessage): Promise<PublishResult> {
    // What cannot be encoded rejects the promise, like anything that is thrown in here.
    return new Promise((settle) => {
      checkAddress(message)
      const messageId = message.messageId ?? this.#nextId()
      const nowMs = dateNow()
      this.publishEncoded(encodeMessage(message, { messageId, nowMs }), settle, nowMs)
    })
  }

  /**
   * The same for a message that is already on its wire form, e.g. one that is passed on.
   * @internal
   */
  publishEncoded(
    message: EncodedMessage,
    settle: (result: PublishResult) => void,
    nowMs: number = dateNow(),
  ): void {
    const bytes = sizeOfBody(message.body) + message.properties.length + frameOverheadBytes
    const publish: PendingPublish = {
      message,
      bytes,
      deadlineAt: nowMs + this.#options.deadlineMs,
      settle,
      mayBeDuplicate: false,
      returned: undefined,
      lostConnections: 0,
      tag: 0,
      mayBeReturned: false,
    }
    if (this.#isClosed) {
      tell(publish, unknown(publish, false, new PublishError('PUBLISHER_CLOSED')))
      return
    }
    this.#startSweeping()
    if (this.#waiting.size === 0 && this.#canSend()) this.#send(publish)
    else this.#enqueue(publish)
  }

  /**
   * Resolves when a publish would be sent at once, or never: await it to keep a fast producer in bounds.
   * @example
   * ```ts
   * for (const id of [1, 2, 3]) {
   *   await publisher.room()
   *   void publisher.publish({ key: 'orders', body: { id } })
   * }
   * ```
   */
  room(): Promise<void> {
    if (this.#isClosed || (this.#waiting.size === 0 && this.#canSend())) return Promise.resolve()
    return new Promise((resolve) => this.#roomWaiters.push(resolve))
  }

  /** It was told to close and takes no more. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Publishes that have no result yet. */
  get pendingCount(): number {
    return this.#waiting.size + this.#unanswered.size
  }

  /**
   * Resolves when every publish so far has its result.
   * @example
   * ```ts
   * await publisher.idle()
   * ```
   */
  idle(): Promise<void> {
    if (this.pendingCount === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idleWaiters.push(resolve))
  }

  /**
   * Goes on with another channel once every publish has its result. A channel of 3.10 that met a quorum queue without
   * a leader refuses what is sent there for ever; a publisher notices that by itself, but only after a while.
   */
  async renew(): Promise<void> {
    await this.idle()
    await this.#channel.current?.close()
  }

  /**
   * Takes no more, waits for the answers that are still to come, and closes its channel. At the deadline what was not
   * sent is given up, and what has no answer is `unknown`. @default a deadline of each publish's own
   * @example
   * ```ts
   * await publisher.close({ deadline: '5s' })
   * ```
   */
  async close(options: { readonly deadline?: Duration } = {}): Promise<void> {
    refuseUnknown('close()', options, { deadline: true })
    const endsAtMs = options.deadline === undefined ? undefined : dateNow() + parseDuration(options.deadline)
    this.#isClosed = true
    await (endsAtMs === undefined ? this.idle() : this.#idleUntil(endsAtMs))
    // What is told to be given up must not be sent when the broker reads again.
    while (this.#waiting.size > 0) this.#giveUpFirst('PUBLISHER_CLOSED')
    this.#stopListening()
    this.#renewal.stop()
    clearInterval(this.#sweeper)
    await this.#channel.close(endsAtMs === undefined ? undefined : endsAtMs - dateNow())
  }

  /** `await using publisher = warren.publisher({ … })` closes it at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #idleUntil(endsAtMs: number): Promise<void> {
    const isIdle = new AbortController()
    const leftMs = Math.min(longestTimerMs, Math.max(0, endsAtMs - dateNow()))
    await Promise.race([this.idle(), pause(leftMs, isIdle.signal)])
    isIdle.abort()
  }

  #enqueue(publish: PendingPublish): void {
    const isFull =
      this.#waiting.size >= this.#options.waiting.messages ||
      this.#waitingBytes + publish.bytes > this.#options.waiting.bytes
    if (isFull) {
      this.#settle(publish, unknown(publish, false, new PublishError('PUBLISH_QUEUE_FULL')))
      return
    }
    this.#waiting.push(publish)
    this.#waitingBytes += publish.bytes
  }

  #canSend(): boolean {
    const channel = this.#channel.current
    if (!channel || this.#session.blockedReason !== undefined || this.#renewal.isDraining) return false
    if (!this.#unanswered.hasRoom || this.#unansweredBytes >= this.#options.window.bytes) return false
    const output = this.#session.connection?.output
    if (!output?.isCongested) return output !== undefined
    this.#pumpWhenDrained(output.drained())
    return false
  }

  /** The window is refilled in quarters: a write per confirm would cost more than the messages in it. */
  #hasRefillRoom(): boolean {
    return (
      this.#unanswered.size <= this.#options.window.messages * 0.75 &&
      this.#unansweredBytes <= this.#options.window.bytes * 0.75
    )
  }

  #pumpWhenDrained(drained: Promise<void>): void {
    if (this.#isWaitingForDrain) return
    this.#isWaitingForDrain = true
    void drained.then(() => {
      this.#isWaitingForDrain = false
      this.#pump()
    })
  }

  readonly #pump = (): void => {
    while (this.#waiting.size > 0 && this.#canSend()) {
      const publish = this.#waiting.shift()!
      this.#waitingBytes -= publish.bytes
      this.#send(publish)
    }
    if (this.#waiting.size > 0 || !this.#canSend()) return
    for (const resume of this.#roomWaiters.splice(0)) resume()
  }

  #send(publish: PendingPublish): void {
    const { message } = publish
    try {
      this.#channel.current!.publish(this.#methodFor(message), message.properties, message.body)
    } catch (error) {
      this.#settle(publish, unknown(publish, publish.mayBeDuplicate, error as WarrenError))
      return
    }
    publish.tag = this.#unanswered.add(publish)
    this.#unansweredBytes += publish.bytes
  }

  #opened(channel: AmqpChannel): void {
    this.#unanswered = createConfirmLedger(this.#options.window.messages)
    this.#unansweredBytes = 0
    this.#lastReturnedTag = 0
    this.#hasGivenUp = false
    this.#renewal.opened()
    channel.events.on('returned', (message) => this.#returned(message))
    channel.events.on('confirmed', ({ tag, multiple, isAck }) => {
      this.#unanswered.take(tag, multiple, (publish) => this.#answered(publish, isAck))
      this.#renewal.settled()
      if (this.#hasRefillRoom()) this.#pump()
    })
    this.#pump()
  }

  /**
   * A return stands before the confirm of its own publish, and returns come in the order of publishing. So it is of a
   * publish without an answer, sent behind the last one that came back.
   */
  #returned(message: ReturnedMessage): void {
    const { publish, inDoubt } = decideReturned<PendingPublish>(message, {
      hasGivenUp: this.#hasGivenUp,
      some: (visit) =>
        this.#unanswered.some((each) => each.tag > this.#lastReturnedTag && !each.returned && visit(each)),
    })
    if (publish) {
      publish.returned = message
      this.#lastReturnedTag = publish.tag
    }
    for (const each of inDoubt) each.mayBeReturned = true
  }

  #answered(publish: PendingPublish, isAck: boolean): void {
    this.#unansweredBytes -= publish.bytes
    const { messageId } = publish.message
    const { mayBeDuplicate } = publish
    if (publish.returned) {
      const { replyCode, replyText } = publish.returned
      this.#settle(publish, { kind: 'returned', messageId, replyCode, replyText, mayBeDuplicate })
    } else if (isAck && publish.mayBeReturned) {
      this.#settle(publish, unknown(publish, true, new PublishError('PUBLISH_RETURN_UNMATCHED')))
    } else if (isAck) {
      this.#renewal.accepted(publish.message)
      this.#settle(publish, { kind: 'confirmed', messageId, mayBeDuplicate })
    } else {
      this.#renewal.refused(publish.message)
      this.#settle(publish, { kind: 'nacked', messageId, mayBeDuplicate })
    }
  }

  #lost(error: WarrenError | undefined): void {
    const lost: PendingPublish[] = []
    this.#unanswered.some((publish) => {
      if (error instanceof ConnectionError) publish.lostConnections += 1
      lost.push(publish)
      return false
    })
    this.#unanswered = createConfirmLedger(this.#options.window.messages)
    this.#unansweredBytes = 0
    const cause = error ?? new PublishError('PUBLISHER_CLOSED')
    const mayResend = this.#options.resend ? decideResend(lost, error) : () => false
    const [again, over] = partition(lost, mayResend)
    for (const publish of again.reverse()) this.#sendAgain(publish)
    for (const publish of over) this.#settle(publish, unknown(publish, true, cause))
  }

  #sendAgain(publish: PendingPublish): void {
    publish.mayBeDuplicate = true
    publish.returned = undefined
    publish.mayBeReturned = false
    this.#waiting.unshift(publish)
    this.#waitingBytes += publish.bytes
  }

  #settle(publish: PendingPublish, result: PublishResult): void {
    tell(publish, result)
    if (this.pendingCount > 0) return
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
    for (const resume of this.#idleWaiters.splice(0)) resume()
  }

  /** One timer for all deadlines: they pass in the order of publishing. */
  #startSweeping(): void {
    if (this.#sweeper) return
    this.#sweeper = setInterval(
      () => this.#sweep(dateNow()),
      Math.min(1_000, Math.max(10, this.#options.deadlineMs / 4)),
    )
  }

  #sweep(now: number): void {
    for (
      let late = this.#unanswered.oldest();
      late && late.deadlineAt <= now;
      late = this.#unanswered.oldest()
    ) {
      this.#unanswered.takeOldest()
      this.#hasGivenUp = true
      this.#unansweredBytes -= late.bytes
      this.#settle(late, unknown(late, true, new PublishError('PUBLISH_DEADLINE')))
    }
    for (let late = this.#waiting.peek(); late && late.deadlineAt <= now; late = this.#waiting.peek()) {
      this.#giveUpFirst('PUBLISH_DEADLINE')
    }
    this.#renewal.settled()
    this.#pump()
  }

  #giveUpFirst(code: PublishErrorCode): void {
    const publish = this.#waiting.shift()!
    this.#waitingBytes -= publish.bytes
    this.#settle(publish, unknown(publish, publish.mayBeDuplicate, new PublishError(code)))
  }

  /** The channel is closed for good: what still waits for it will not be sent, and no answer will come. */
  #ended(): void {
    this.#isClosed = true
    this.#renewal.stop()
    this.#lost(undefined) // a channel that the broker has not closed yet
    while (this.#waiting.size > 0) this.#giveUpFirst('PUBLISHER_CLOSED')
    for (const resume of this.#roomWaiters.splice(0)) resume()
  }
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter((one) => isFirst(one)), all.filter((one) => !isFirst(one))]
}
