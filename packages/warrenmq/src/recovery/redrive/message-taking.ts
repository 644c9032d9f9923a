import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import { inspectQueue } from '../../broker/amqp/declarations.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { ownSleep } from '../../own-timer.ts'
import type { Publisher } from '../../publisher/publisher.ts'
import { performance } from '../../world.ts'
import type { LookRules } from '../look/prepare-look.ts'
import { QueueWalk, type WalkEnd } from '../look/queue-walk.ts'
import { type RefreshEnd, Refreshes } from '../look/refreshes.ts'
import { type AckPassage, settleAcks } from '../look/settled-depth.ts'
import { withChannel } from '../look/with-channel.ts'
import type { HeldChannel } from './held-channel.ts'
import { Taken } from './taken.ts'

export interface TakingTask {
  readonly session: Session
  readonly publisher: Publisher
  readonly queue: string
  readonly look: LookRules
  readonly count: number
  readonly prefetch: number
  readonly consumerTag: string
  /** Is told what happens, one thing after the other. */
  readonly listener: TakingListener
}

export interface TakingListener {
  delivered(message: Taken): void
  /** It was sent ahead and is not one of those that were counted. */
  sentAhead(message: Taken): void
  timeUp(): void
  /** A channel is gone that this re-drive did not close. */
  closed(error: unknown): void
}

/**
 * RabbitMQ walks the list of what a channel holds for every single ack, so that with one channel a filtered re-drive
 * would take four times as long for twice as many messages.
 */
const mostHeld = 4_000
const aheadBytes = 64 * 1024 * 1024
const longestReturnMs = 3_000
const askEveryMs = 4

/** The messages of one pass, over as many channels as it takes to hold what stays. */
export class MessageTaking {
  readonly #task: TakingTask
  readonly #channels: HeldChannel[] = []
  #count: number
  #isStopped = false
  #isOver = false
  #wakeProof: () => void = () => {}
  #closing: Promise<unknown> = Promise.resolve()

  constructor(task: TakingTask) {
    this.#task = task
    this.#count = task.count
  }

  /** Takes all; settles when they are handed over. */
  async run(): Promise<WalkEnd> {
    for (;;) {
      if (this.#isStopped) return 'stopped'
      const held = await this.#open()
      if (this.#isOver) return 'lost'
      if (this.#isStopped) return 'stopped'
      const end = await held.walk.run()
      if (end !== 'full') return end
    }
  }

  /** Deliveries that are neither acknowledged nor back in their queue. */
  get openCount(): number {
    return this.#channels.reduce((sum, { channel }) => sum + (channel.isOpen ? channel.openDeliveries : 0), 0)
  }

  ack(messages: readonly Taken[]): void {
    for (const { channel, delivery } of messages) {
      if (channel.walk.ack(delivery) === 'sent') channel.acked += 1
    }
  }

  /** It stays: true if a copy is in flight, which `onDone` ends. */
  hold(message: Taken, onDone: (end: RefreshEnd) => void): boolean {
    const { refreshes, walk } = message.channel
    const isCopying = refreshes.leave(message.delivery, (end) => {
      walk.growIfNeeded()
      onDone(end)
    })
    if (!isCopying) walk.growIfNeeded()
    return isCopying
  }

  /** One of those seen did not belong to those counted. */
  extend(): void {
    this.#count += 1
    this.#channels.at(-1)?.walk.extend()
  }

  /** Takes no more. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    void this.#channels.at(-1)?.walk.letGo()
  }

  /** How many more acks are proved by what the broker has sent since. */
  takeProvedAcks(): number {
    return this.#channels.reduce((sum, held) => {
      const { acked, walk } = held
      return sum + learn(held, acked - walk.heldBackAcks - walk.mostUnseenAcks)
    }, 0)
  }

  /** Asks something behind the acks on each channel that has some; resolves with how many the answers prove. */
  async prove(): Promise<number> {
    while (!this.#isOver) {
      const proofs = this.#channels.map((held) => this.#proveOn(held)).filter((proof) => proof !== undefined)
      if (proofs.length > 0) return (await Promise.all(proofs)).reduce((sum, count) => sum + count, 0)
      await new Promise<void>((resolve) => {
        this.#wakeProof = resolve
      })
    }
    return 0
  }

  /** Sees all that is held back in its queue, in its order: the oldest channel is closed first. */
  async giveBack(): Promise<void> {
    const { queue, look } = this.#task
    await this.#channels.at(-1)?.walk.takeReturned()
    for (const { refreshes } of this.#channels) await refreshes.idle()
    this.#isOver = true
    const isOrdered = look.returnsBehind && this.#channels.length > 1
    for (const held of this.#channels) {
      const { channel, walk, refreshes, acked } = held
      walk.close()
      const isPassed = look.returnsBehind && acked > 0
      await settleAcks(channel, queue, isPassed ? this.#passageOf(held) : undefined)
      await refreshes.idle()
      const count = channel.openDeliveries
      const depth = isOrdered ? await this.#depth() : 0
      await channel.close()
      if (isOrdered) await this.#awaitDepth(depth + count)
    }
  }

  /** Lets go of everything immediately: what it holds goes back by itself. */
  abandon(): void {
    this.#isOver = true
    this.#wakeProof()
    for (const { walk } of this.#channels) walk.close()
    this.#closing = Promise.all(this.#channels.map(({ channel }) => channel.close()))
  }

  /** Resolves when the broker knows that everything is let go, and no copy is in flight. */
  async whenClosed(): Promise<void> {
    await this.#closing
    for (const { refreshes } of this.#channels) await refreshes.idle()
  }

  /** Its tag comes last on 3.10, which returns messages in that order. */
  #passageOf({ refreshes, walk }: HeldChannel): AckPassage {
    const { look, consumerTag } = this.#task
    return {
      consumerTag: `${consumerTag}-last-${walk.seen}`,
      consumerArguments: look.consumerArguments,
      hold: (delivery) => void refreshes.leave(delivery),
    }
  }

  #proveOn(held: HeldChannel): Promise<number> | undefined {
    const count = held.acked - held.walk.heldBackAcks - held.covered
    if (count <= 0 || !held.channel.isOpen) return undefined
    held.covered += count
    const { covered } = held
    return inspectQueue(held.channel, this.#task.queue).then(() => learn(held, covered))
  }

  async #open(): Promise<HeldChannel> {
    const { session, publisher, look, listener } = this.#task
    const channel = await session.openChannel()
    const held: HeldChannel = {
      channel,
      acked: 0,
      covered: 0,
      known: 0,
      walk: this.#walkOn(channel, () => held),
      refreshes: new Refreshes({ publisher, rules: look, ack: (delivery) => held.walk.ack(delivery) }),
    }
    this.#channels.push(held)
    channel.events.on('closed', ({ error }) => {
      if (!this.#isOver) listener.closed(error)
    })
    if (this.#isOver) await channel.close()
    return held
  }

  #walkOn(channel: AmqpChannel, heldChannel: () => HeldChannel): QueueWalk {
    const { queue, look, listener } = this.#task
    const seen = this.#channels.reduce((sum, { walk }) => sum + walk.seen, 0)
    return new QueueWalk({
      channel,
      queue,
      count: this.#count - seen,
      isWhole: true,
      mostHeld,
      prefetch: this.#prefetch(),
      consumerTag: this.#tag(),
      consumerArguments: look.consumerArguments,
      maxHoldMs: look.maxHoldMs,
      returnsBehind: look.returnsBehind,
      heldCount: () => heldChannel().refreshes.heldCount,
      onDelivery: (delivery) => listener.delivered(new Taken(heldChannel(), delivery)),
      onSentAhead: (delivery) => listener.sentAhead(new Taken(heldChannel(), delivery)),
      onAcksSent: () => this.#wakeProof(),
      onTimeUp: () => listener.timeUp(),
    })
  }

  /** The first channel is sent what was asked for; one that follows because much is held is sent all that it may hold. */
  #prefetch(): number {
    const { prefetch, look } = this.#task
    if (this.#channels.length === 0) return prefetch
    const byBytes = look.averageBytes === undefined ? prefetch : Math.floor(aheadBytes / look.averageBytes)
    return Math.max(1, prefetch, Math.min(mostHeld, byBytes))
  }

  /** 3.10 goes by the order of the tags as text. */
  #tag(): string {
    const { consumerTag } = this.#task
    const number = this.#channels.length
    return number === 0 ? consumerTag : `${consumerTag}-c${String(number).padStart(6, '0')}`
  }

  async #depth(): Promise<number> {
    const { session, queue } = this.#task
    const { messageCount } = await withChannel(session, (channel) => inspectQueue(channel, queue))
    return messageCount
  }

  /** What a channel held is ready again; others may take it in the meantime. */
  async #awaitDepth(atLeast: number): Promise<void> {
    const giveUpAt = performance.now() + longestReturnMs
    while ((await this.#depth()) < atLeast && performance.now() < giveUpAt) await ownSleep(askEveryMs)
  }
}

/** So many acks of a channel have arrived at the least; gives how many of them nobody knew. */
function learn(held: HeldChannel, known: number): number {
  const more = Math.max(0, known - held.known)
  held.known += more
  return more
}
