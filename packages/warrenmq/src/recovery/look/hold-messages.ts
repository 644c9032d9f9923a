import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import { RecoveryError } from '../../errors.ts'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import { formatCounted } from '../../message/format-counted.ts'
import { lookTag } from '../../message/holding-tags.ts'
import { Publisher } from '../../publisher/publisher.ts'
import { hostname, performance } from '../../world.ts'
import { type Lock, takeLock } from '../lock/take-lock.ts'
import { confirmDepth } from './confirm-depth.ts'
import { decideAhead } from './decide-ahead.ts'
import { decideUnderWay } from './decide-under-way.ts'
import { describeLostHold } from './describe-lost-hold.ts'
import { finishWalk } from './finish-walk.ts'
import { isConnectionLost } from './is-connection-lost.ts'
import type { OverLimitQueue } from './over-limit-queue.ts'
import { type LookPermission, type LookRules, prepareLook } from './prepare-look.ts'
import { QueueWalk, type WalkEnd } from './queue-walk.ts'
import { Refreshes } from './refreshes.ts'
import { type AckPassage, awaitDepth, depthOf, settleAcks, settledDepth } from './settled-depth.ts'

export interface HoldTask extends LookPermission {
  readonly by: string
  /** What for, as the next one who asks for the lock reads it: `a look`. */
  readonly purpose: string
  /** The caller holds the lock on the queue. @default false */
  readonly isLocked?: boolean
  /** How many, from the head. @default all */
  readonly count?: number | undefined
  /** Called with how many there are, before the first of them comes. */
  readonly onPresent?: ((present: number) => void) | undefined
  /**
   * Called once per message, in order. Copy what is kept: the bytes are reused. `hold` means that it is to be
   * settled by tag while held; anything else goes back.
   */
  readonly onMessage: (delivery: Delivery) => 'hold' | undefined
  /** Called with a message that was sent ahead and is not one of those. It goes back. */
  readonly onSentAhead?: (delivery: Delivery) => void
  /** Where messages go that take time; the broker is asked for no more while too much waits there. */
  readonly sink?: MessageSink | undefined
  /** Runs when all are seen and still held. What it acknowledges leaves the queue; gives how many that were. */
  readonly whileHeld?: (held: HeldMessages) => Promise<number>
  readonly signal?: AbortSignal | undefined
}

/** Takes the messages of a look, and says when it is full. */
export interface MessageSink {
  /** It should get no more for now. */
  readonly isFull: boolean
  /** Set by the pass; called when some of it is done. */
  onProgress: () => void
}

export interface HeldMessages {
  readonly end: WalkEnd
  readonly seen: number
  /** Acknowledges one of those to be settled. If the rest fails, it is not one of those that have to be kept. */
  acknowledge(deliveryTag: number): void
  /** Resolves when the broker has answered behind the acks so far, with what that proves. The last one proves the most. */
  prove(which: 'a-step' | 'the-last'): Promise<AckProof>
}

/**
 * What is known of acks. `removed`: the queue has them, and a crash of the broker can undo them. `written`: not even that.
 * `unproved`: the channel may keep some of them back, and loses these when it closes.
 */
export type AckProof = 'unproved' | 'removed' | 'written'

/** What a look over a queue came to. */
export interface HoldReport {
  /** Messages that were ready when the look began. */
  readonly present: number
  /** Of those, how many were looked at. */
  readonly seen: number
  /** Messages that were put at the end of the queue, because giving them back would have deleted them. */
  readonly refreshed: number
  /** Acknowledged while they were held. */
  readonly removed: number
  /** Every message that was asked for was seen. */
  readonly isWhole: boolean
  /** Ready messages after everything went back. */
  readonly depth: number
}

/** A queue that others are emptying is not waited for. */
const mostFalls = 50
/**
 * This many passages for acks may hold a message that arrived in the meantime: each is one more consumer, and the
 * broker remembers the order of 32, of which a walk uses 28.
 */
const mostFullPassages = 3

/**
 * Takes messages from the head of a queue, holds them until all are seen, and gives them back by closing the
 * channel: the one return that keeps their order on every version. Nothing is kept of a message but its tag.
 */
export async function holdMessages(task: HoldTask): Promise<HoldReport> {
  const { consuming, publishing, queue, isLocked = false, signal } = task
  const rules = await prepareLook(task)
  const lock = isLocked ? undefined : await lockFor(task)
  const publisher = new Publisher(publishing)
  try {
    const present = await confirmDepth({ session: consuming, publisher, queue, rules, signal })
    task.onPresent?.(present)
    const pass = new HoldingPass({ task, rules, publisher, present })
    const result = await pass.run()
    // The next holder must find them all, so the lock is kept until they are back.
    const awaited = { atLeast: present - result.removed, mostFalls }
    const depth = await (result.removed === 0 ? awaitDepth : settledDepth)(consuming, queue, awaited)
    return { present, ...result, depth }
  } finally {
    await Promise.all([publisher.close(), lock?.release()])
  }
}

function lockFor({ consuming, queue, management, by, purpose }: HoldTask): Promise<Lock> {
  const holder = `${by} on ${hostname()} (${purpose})`
  return takeLock({ session: consuming, queue, holder, management, vhost: consuming.vhost })
}

class HoldingPass {
  readonly #task: HoldTask
  readonly #rules: LookRules
  readonly #refreshes: Refreshes
  readonly #present: number
  readonly #count: number
  readonly #isWhole: boolean
  #walk: QueueWalk | undefined
  #seen = 0
  #seenBytes = 0
  /** When the broker was last allowed to send, and what had come by then. */
  #step = { atMs: 0, seen: 0 }
  #refreshed = 0
  #passages = 0
  #fullPassages = 0
  /** To be settled while held, see `onMessage`. */
  #toSettle = 0
  /** The broker has ended a consumer of ours. */
  #isCancelled = false
  #failure: { readonly error: unknown } | undefined
  /** Of those to be settled: should that fail, giving them back deletes them. */
  readonly #endangered = new Map<number, Delivery>()

  constructor(fields: { task: HoldTask; rules: LookRules; publisher: Publisher; present: number }) {
    this.#task = fields.task
    this.#rules = fields.rules
    this.#refreshes = new Refreshes({ ...fields, ack: (delivery) => this.#walk!.ack(delivery) })
    this.#present = fields.present
    this.#count = Math.min(fields.present, fields.task.count ?? fields.present)
    this.#isWhole = this.#count === fields.present
  }

  async run(): Promise<Pick<HoldReport, 'seen' | 'refreshed' | 'removed' | 'isWhole'>> {
    const { consuming, queue, signal } = this.#task
    const channel = await consuming.openChannel()
    channel.events.on('cancelled', () => {
      this.#isCancelled = true
    })
    const walk = this.#startWalk(channel)
    this.#walk = walk
    const stop = (): void => walk.stop()
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
    try {
      const end = await walk.run()
      if (end !== 'lost') await finishWalk(walk, this.#refreshes)
      await this.#refreshes.idle()
      if (this.#rules.overLimitQueue.count > 0) {
        await this.#rescue(channel) // told with the others
        throw movedAside(queue, this.#rules.overLimitQueue)
      }
      if (end === 'lost') throw await this.#whyLost(channel.closeReason)
      if (this.#failure) throw this.#failure.error
      const acknowledge = (tag: number): void => {
        channel.ack(tag)
        this.#endangered.delete(tag)
      }
      const prove = (which: 'a-step' | 'the-last'): Promise<AckProof> => this.#prove(channel, which)
      const removed = (await this.#task.whileHeld?.({ end, seen: this.#seen, acknowledge, prove })) ?? 0
      this.#endangered.clear()
      await settleAcks(channel, queue, removed > 0 ? this.#passage() : undefined)
      await this.#refreshes.idle() // what came on the passage may need a copy before it goes back
      await channel.close()
      const isWhole = end === 'all-seen' || end === 'emptied'
      return { seen: this.#seen, refreshed: this.#refreshed, removed, isWhole }
    } catch (error) {
      await this.#rescue(channel)
      throw isConnectionLost(error) ? await this.#whyLost(error) : error
    } finally {
      signal?.removeEventListener('abort', stop)
      await this.#refreshes.idle()
      await channel.close()
    }
  }

  /** A queue to which others publish fills every passage; then only the last one is taken. */
  async #prove(channel: AmqpChannel, which: 'a-step' | 'the-last'): Promise<AckProof> {
    const passage = this.#passage()
    const isSkipped = which === 'a-step' && this.#fullPassages >= mostFullPassages
    await settleAcks(channel, this.#task.queue, isSkipped ? undefined : passage)
    if (passage && isSkipped) return 'unproved'
    return this.#rules.countsReturns ? 'written' : 'removed'
  }

  #passage(): AckPassage | undefined {
    const { returnsBehind, consumerArguments } = this.#rules
    if (!returnsBehind) return undefined
    const hold = (delivery: Delivery): void => {
      this.#fullPassages += 1
      this.#refreshes.leave(delivery)
    }
    this.#passages += 1
    // The order of tags is that of what goes back on 3.10.
    const consumerTag = `${lookTag}-last-${String(this.#passages).padStart(8, '0')}`
    return { consumerTag, consumerArguments, hold }
  }

  /** What was held has gone back by itself. */
  async #whyLost(cause: unknown): Promise<RecoveryError> {
    const { consuming, queue } = this.#task
    const version = parseBrokerVersion(consuming.broker.version)
    const found = this.#isCancelled && this.#seen > 0 ? await this.#findQueue() : undefined
    if (found instanceof RecoveryError) return found
    return describeLostHold({ queue, version, cause, isCancelled: found === 'there' })
  }

  /** A queue that is being deleted ends its consumers, too, and is gone a moment later; one that stays has all back. */
  async #findQueue(): Promise<'there' | RecoveryError | undefined> {
    const { consuming, queue } = this.#task
    try {
      await settledDepth(consuming, queue, { atLeast: this.#present, mostFalls })
      return 'there'
    } catch {
      const problem = await depthOf(consuming, queue).catch((error: unknown) => error)
      return problem instanceof RecoveryError ? problem : undefined
    }
  }

  #startWalk(channel: AmqpChannel): QueueWalk {
    const { queue, sink } = this.#task
    if (sink) sink.onProgress = () => this.#walk?.growIfNeeded()
    const prefetch = (): number => Math.min(this.#underWay, this.#mostAhead)
    return new QueueWalk({
      channel,
      queue,
      count: this.#count,
      isWhole: this.#isWhole,
      get prefetch() {
        return prefetch()
      },
      mostAhead: () => this.#mostAhead,
      onCredit: () => {
        this.#step = { atMs: performance.now(), seen: this.#seen }
      },
      mayGrow: () => sink?.isFull !== true,
      maxHoldMs: this.#maxHoldMs,
      consumerArguments: this.#rules.consumerArguments,
      returnsBehind: this.#rules.returnsBehind,
      settlesNothing: this.#task.whileHeld === undefined,
      heldCount: () => this.#toSettle + this.#refreshes.heldCount,
      onDelivery: (delivery) => {
        this.#seen += 1
        this.#seenBytes += delivery.bodyBytes
        if (this.#show(delivery) !== 'hold') {
          this.#leave(delivery)
          return
        }
        this.#toSettle += 1
        if (this.#rules.returnDeletes(delivery)) this.#endangered.set(delivery.deliveryTag, delivery)
      },
      onSentAhead: (delivery) => {
        this.#task.onSentAhead?.(delivery)
        this.#leave(delivery)
      },
    })
  }

  get #underWay(): number {
    const { sink } = this.#task
    return decideUnderWay({ keepsBodies: sink !== undefined, seen: this.#seen, seenBytes: this.#seenBytes })
  }

  get #maxHoldMs(): number {
    const { endAtMs = Number.POSITIVE_INFINITY } = this.#task
    return Math.max(1, Math.min(this.#rules.maxHoldMs, endAtMs - performance.now()))
  }

  get #mostAhead(): number {
    const { mostAheadMs } = this.#task
    if (mostAheadMs === undefined) return Number.POSITIVE_INFINITY
    const { atMs, seen } = this.#step
    const came = { came: this.#seen - seen, elapsedMs: performance.now() - atMs }
    return decideAhead({ mostAheadMs, averageBytes: this.#rules.averageBytes, ...came })
  }

  /** What was to be settled stays after all. A channel that is lost has given it back already. */
  async #rescue(channel: AmqpChannel): Promise<void> {
    const endangered = [...this.#endangered.values()]
    this.#endangered.clear()
    if (channel.isOpen) for (const delivery of endangered) this.#leave(delivery)
    await this.#refreshes.idle()
  }

  /** A message that cannot be read ends the pass with its error; all of them go back. */
  #show(delivery: Delivery): 'hold' | undefined {
    if (this.#failure) return undefined
    try {
      return this.#task.onMessage(delivery)
    } catch (error) {
      this.#failure = { error }
      this.#walk?.stop()
      return undefined
    }
  }

  /** It stays in the queue: it is given back at the end or, if that would delete it, replaced by a new copy. */
  #leave(delivery: Delivery): void {
    this.#refreshes.leave(delivery, (end) => {
      if (end === 'refreshed') this.#refreshed += 1
      if (this.#rules.overLimitQueue.count > 0)
        this.#walk?.stop() // a queue that is full is looked at no further
      else this.#walk?.growIfNeeded()
    })
  }
}

function movedAside(queue: string, { name, count }: OverLimitQueue): RecoveryError {
  return new RecoveryError({
    code: 'RECOVERY_MOVED_ASIDE',
    message:
      `The queue "${queue}" refused copies of ${formatCounted(count, 'message')} that it would have deleted on return. The ` +
      `copies are in "${name}" now, and the look ended. Make room, and put them back: warren dlq redrive ${name} --to ${queue}`,
  })
}
