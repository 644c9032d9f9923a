import type { AmqpChannel } from '../broker/amqp/channel.ts'
import { enableConfirms } from '../broker/amqp/declarations.ts'
import type { ReturnedMessage } from '../broker/amqp/message.ts'
import { pause } from '../broker/amqp/pause.ts'
import type { Session } from '../broker/amqp/session.ts'
import type { SupervisedChannel } from '../broker/amqp/supervised-channel.ts'
import { asTimerMs } from '../clock.ts'
import { ConnectionError, PublishError, type PublishErrorCode, type WarrenError } from '../errors.ts'
import { sizeOfBody } from '../wire/frame-writer.ts'
import { clearInterval, dateNow, setInterval } from '../world.ts'
import { ChannelRenewal } from './channel-renewal.ts'
import { type ConfirmLedger, createConfirmLedger } from './confirm-ledger.ts'
import { decideResend } from './decide-resend.ts'
import { decideReturned } from './decide-returned.ts'
import { createGiveUps, type GiveUps, overBy } from './give-ups.ts'
import type { EncodedMessage } from './outgoing-message.ts'
import { type PendingPublish, tell, unknown } from './pending-publish.ts'
import { createPublishMethods } from './publish-methods.ts'
import type { PublishLimits } from './publish-options.ts'
import type { PublishResult } from './publish-result.ts'
import {
  type PublisherOptions,
  type SettledPublisherOptions,
  settlePublisherOptions,
} from './settle-publisher-options.ts'
import { createWaitingLine, type WaitingLine } from './waiting-line.ts'

const frameOverheadBytes = 64

/** Sends messages with confirms on a channel of its own; every publish settles exactly once. */
export class PublishChannel {
  readonly #session: Session
  readonly #channel: SupervisedChannel
  readonly #options: SettledPublisherOptions
  readonly #waiting: WaitingLine
  readonly #methodFor = createPublishMethods()
  readonly #renewal: ChannelRenewal
  readonly #giveUps: GiveUps = createGiveUps((publish, cause) => this.#giveUp(publish, cause))
  readonly #stopListening: () => void
  #unanswered: ConfirmLedger<PendingPublish>
  #unansweredBytes = 0
  #lastReturnedTag = 0
  #hasGivenUp = false
  #sweeper: NodeJS.Timeout | undefined
  #isWaitingForDrain = false
  #isClosed = false
  #roomWaiters: (() => void)[] = []
  #idleWaiters: (() => void)[] = []
  #settledWaiters: (() => void)[] = []

  constructor(session: Session, options: PublisherOptions) {
    this.#session = session
    this.#options = settlePublisherOptions(options)
    this.#waiting = createWaitingLine(this.#options.waiting)
    this.#unanswered = createConfirmLedger(this.#options.window.messages)
    this.#renewal = new ChannelRenewal({
      unansweredCount: () => this.#unanswered.size(),
      closeChannel: () => void this.#channel.current?.close(),
      resume: this.#pump,
    })
    this.#channel = session.superviseChannel('publisher', enableConfirms, { isForPublishing: true })
    this.#channel.events.on('opened', ({ channel }) => this.#opened(channel))
    this.#channel.events.on('ended', () => this.#ended())
    this.#channel.events.on('lost', ({ error }) => this.#lost(error as WarrenError | undefined))
    this.#stopListening = session.events.on('connection.unblocked', () => this.#pump())
  }

  /** Takes a message; its result comes to `settle`, exactly once. */
  publish(
    message: EncodedMessage,
    settle: (result: PublishResult) => void,
    nowMs: number,
    limits: PublishLimits | undefined,
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
      limits,
      isOver: false,
      release: undefined,
    }
    if (this.#isClosed) {
      tell(publish, unknown(publish, false, new PublishError('PUBLISHER_CLOSED')))
      return
    }
    const over = limits && overBy(limits)
    if (over) {
      tell(publish, unknown(publish, false, over))
      return
    }
    if (limits) this.#giveUps.watch(publish, limits)
    this.#startSweeping()
    if (this.#waiting.size() === 0 && this.#canSend()) this.#send(publish)
    else this.#enqueue(publish)
  }

  /** Resolves when a publish would be sent at once, or never. */
  room(): Promise<void> {
    if (this.#isClosed || (this.#waiting.size() === 0 && this.#canSend())) return Promise.resolve()
    return new Promise((resolve) => this.#roomWaiters.push(resolve))
  }

  /** What is beyond the line of those that wait would be refused. Each publish that settles makes room there, in time. */
  async lineRoom(): Promise<void> {
    while (this.#waiting.isFull() && this.pendingCount > 0) await this.#nextSettled()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Publishes that have no result yet. */
  get pendingCount(): number {
    return this.#waiting.size() + this.#unanswered.size()
  }

  /** Resolves when every publish so far has its result. */
  idle(): Promise<void> {
    if (this.pendingCount === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idleWaiters.push(resolve))
  }

  async renew(): Promise<void> {
    await this.idle()
    await this.#channel.current?.close()
  }

  /** Takes no more, waits for the answers that are still to come, not beyond the given time, and closes the channel. */
  async close(endsAtMs: number | undefined): Promise<void> {
    this.#isClosed = true
    await (endsAtMs === undefined ? this.idle() : this.#idleUntil(endsAtMs))
    // What is told to be given up must not be sent when the broker reads again.
    while (this.#waiting.size() > 0) this.#giveUpFirst('PUBLISHER_CLOSED')
    this.#stopListening()
    this.#renewal.stop()
    clearInterval(this.#sweeper)
    await this.#channel.close(endsAtMs === undefined ? undefined : endsAtMs - dateNow())
  }

  async #idleUntil(endsAtMs: number): Promise<void> {
    const isIdle = new AbortController()
    const leftMs = Math.max(0, endsAtMs - dateNow())
    await Promise.race([this.idle(), pause(asTimerMs(leftMs), isIdle.signal)])
    isIdle.abort()
  }

  #enqueue(publish: PendingPublish): void {
    if (this.#waiting.hasRoomFor(publish)) this.#waiting.push(publish)
    else this.#settle(publish, unknown(publish, false, new PublishError('PUBLISH_QUEUE_FULL')))
  }

  #canSend(): boolean {
    const channel = this.#channel.current
    if (!channel || this.#session.blockedReason !== undefined || this.#renewal.isDraining) return false
    if (!this.#unanswered.hasRoom() || this.#unansweredBytes >= this.#options.window.bytes) return false
    const output = this.#session.connection?.output
    if (!output?.isCongested()) return output !== undefined
    this.#pumpWhenDrained(output.drained())
    return false
  }

  /** The window is refilled in quarters: a write per confirm would cost more than the messages in it. */
  #hasRefillRoom(): boolean {
    return (
      this.#unanswered.size() <= this.#options.window.messages * 0.75 &&
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
    while (this.#waiting.size() > 0 && this.#canSend()) {
      this.#sendInTime(this.#waiting.shift()!)
    }
    if (this.#waiting.size() > 0 || !this.#canSend()) return
    for (const resume of this.#roomWaiters.splice(0)) resume()
  }

  /** What is over its limits is not sent because another one, given up for the same reason, has just made room for it. */
  #sendInTime(publish: PendingPublish): void {
    const over = publish.limits && overBy(publish.limits)
    if (over) this.#settle(publish, unknown(publish, publish.mayBeDuplicate, over))
    else this.#send(publish)
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
    publish.message = publish.message.again ?? publish.message
    publish.mayBeDuplicate = true
    publish.returned = undefined
    publish.mayBeReturned = false
    publish.tag = 0
    this.#waiting.unshift(publish)
  }

  #settle(publish: PendingPublish, result: PublishResult): void {
    tell(publish, result)
    for (const resume of this.#settledWaiters.splice(0)) resume()
    if (this.pendingCount > 0) return
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
    for (const resume of this.#idleWaiters.splice(0)) resume()
  }

  #nextSettled(): Promise<void> {
    return new Promise((resolve) => this.#settledWaiters.push(resolve))
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
    this.#settle(publish, unknown(publish, publish.mayBeDuplicate, new PublishError(code)))
  }

  /** Its signal was aborted, or its own deadline is over. An answer that comes later finds nothing. */
  #giveUp(publish: PendingPublish, cause: PublishError): void {
    if (publish.isOver) return
    const wasSent = publish.tag !== 0 || publish.mayBeDuplicate
    if (publish.tag === 0) this.#waiting.remove(publish)
    else {
      this.#unanswered.take(publish.tag, false, () => undefined)
      this.#hasGivenUp = true
      this.#unansweredBytes -= publish.bytes
    }
    this.#settle(publish, unknown(publish, wasSent, cause))
    this.#renewal.settled()
    this.#pump()
  }

  /** The channel is closed for good: what still waits for it will not be sent, and no answer will come. */
  #ended(): void {
    this.#isClosed = true
    this.#renewal.stop()
    this.#lost(undefined) // a channel that the broker has not closed yet
    while (this.#waiting.size() > 0) this.#giveUpFirst('PUBLISHER_CLOSED')
    for (const resume of this.#roomWaiters.splice(0)) resume()
  }
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter((one) => isFirst(one)), all.filter((one) => !isFirst(one))]
}
