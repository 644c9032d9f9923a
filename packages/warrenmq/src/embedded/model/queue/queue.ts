import type { Clock } from '../../../clock.ts'
import type { FieldTable } from '../../../wire/field-value.ts'
import type { RawProperties } from '../../../wire/properties.ts'
import type { DeathReason, Message } from '../message/message.ts'
import type { EffectivePolicy } from '../policy/policies.ts'
import type { Profile } from '../profile.ts'
import type { Deadline } from './deadline.ts'
import type { QueueKind } from './queue-kind.ts'
import type { QueueSettings } from './queue-settings.ts'
import type { QueuedMessage, Settlement } from './queued-message.ts'

export interface QueueDeclaration {
  readonly vhost: string
  readonly name: string
  readonly kind: QueueKind
  readonly isDurable: boolean
  readonly isAutoDelete: boolean
  /** The connection that alone may use it; undefined for a queue of everyone. */
  readonly owner: object | undefined
  readonly arguments: FieldTable
}

/** The side of a channel that a queue sees. */
export interface ConsumerChannel {
  /** Grows with each channel that is opened. */
  readonly id: number
  /** False while the client does not read. */
  canSend(): boolean
  /** False also while the client holds as much as its channel may. Only classic queues ask for that. */
  canTake(consumer: Consumer): boolean
  deliver(delivery: Delivery): void
  /** The queue has dropped the consumer: it is gone, or the consumer held a message for too long. */
  consumerCancelled(consumer: Consumer): void
  /** The queue has taken back what the consumer, or a basic.get, held for too long. */
  released(consumer: Consumer | undefined): void
}

export interface Consumer {
  readonly tag: string
  readonly channel: ConsumerChannel
  readonly noAck: boolean
  readonly isExclusive: boolean
  readonly prefetch: number
  readonly priority: number
  /** How long it may hold a message of a quorum queue, if it asked for a time of its own. */
  readonly timeoutMs?: number | undefined
  readonly arguments: FieldTable
}

export interface Delivery {
  readonly queue: Queue
  /** Undefined for a message that was fetched with basic.get. */
  readonly consumer: Consumer | undefined
  readonly entry: QueuedMessage
  readonly isRedelivered: boolean
  readonly properties: RawProperties
  readonly needsAck: boolean
}

export interface SettledEntries {
  readonly channel: ConsumerChannel
  /** The consumer they were delivered to; undefined after basic.get. */
  readonly consumer: Consumer | undefined
  /** The oldest first. */
  readonly entries: readonly QueuedMessage[]
  readonly settlement: Settlement
}

/** What a queue holds. */
export interface QueueCounts {
  /** Messages that can be delivered. */
  readonly ready: number
  /** Messages that consumers hold. */
  readonly unacknowledged: number
  /** As queue.declare-ok tells it, which for quorum queues is not what one would expect. */
  readonly declaredConsumers: number
  /** Its consumers. */
  readonly consumers: number
  /** Bytes of the bodies that can be delivered. */
  readonly readyBytes: number
  /** Bytes of the bodies that consumers hold. */
  readonly unacknowledgedBytes: number
  /** Dead letters that wait in an at-least-once queue for their target. */
  readonly deadLetters: number
  /** Bytes of the bodies of `deadLetters`. */
  readonly deadLetterBytes: number
  /** Held back by delayed retry. */
  readonly delayed: number
}

export interface Fetched {
  readonly delivery: Delivery
  readonly remaining: number
}

/** One queue. All that happens to it happens through these; nothing in it runs by itself but its deadlines. */
export interface Queue extends QueueDeclaration {
  readonly resourceKind: 'queue'
  counts(): QueueCounts
  policy(): EffectivePolicy
  settings(): QueueSettings
  /** Gives false when the queue is full and refuses. A dead letter has no publisher. */
  enqueue(message: Message, publisher: object | undefined): boolean
  get(request: { channel: ConsumerChannel; noAck: boolean }): Fetched | undefined
  /** Lets a consumer in, or refuses it. */
  consume(consumer: Consumer): void
  /** Begins to deliver to a consumer that was let in; apart, so that the client hears of it first. */
  start(consumer: Consumer): void
  cancel(consumer: Consumer): void
  settle(settled: SettledEntries): void
  /** Takes back what a channel held when it ended, in the order of delivery. */
  channelDown(
    channel: ConsumerChannel,
    held: readonly { consumer: Consumer | undefined; entry: QueuedMessage }[],
  ): void
  /** A channel that could take no more can take again. */
  channelReady(channel: ConsumerChannel): void
  purge(): number
  /** The broker was restarted: what was not persistent is gone. */
  forgetTransient(): void
  /** It has back what was held when the broker went away. */
  restored(): void
  applySettings(settings: QueueSettings, policy: EffectivePolicy): void
  /** It was declared again, which puts off its expiry. */
  touch(): void
  /** It is deleted: no deadline of it may fire any more. Gives the consumers it leaves behind. */
  stop(): readonly Consumer[]
  consumers(): readonly Consumer[]
  /** False for a consumer that waits to become the single active one. */
  isActive(consumer: Consumer): boolean
  /** What is ready, in the order of delivery. */
  messages(): readonly QueuedMessage[]
}

/** What a queue may ask of the broker around it. */
export interface QueueSurroundings {
  readonly clock: Clock
  readonly profile: Profile
  createDeadline(onReached: () => void): Deadline
  /** False from a crash until the restart. */
  isUp(): boolean
  /** Runs a task after all that goes on now, so that a queue is never entered while it is at work. */
  postpone(task: () => void): void
  /** Sends a dead letter on later, if there is where to; at most once. */
  deadLetter(queue: Queue, message: Message, reason: DeathReason): void
  /** Writes the death down. */
  recordDeath(queue: Queue, message: Message, reason: DeathReason): Message
  /** Gives a dead letter to every queue it is routed to, but for those that have it. */
  forward(deadLetter: ForwardedLetter): Forwarding
  /** The queue ends: it was unused for long enough, or its last consumer left. */
  remove(queue: Queue): void
}

export interface ForwardedLetter {
  readonly queue: Queue
  /** With its death written down. */
  readonly message: Message
  readonly reason: DeathReason
  readonly alreadyAt: ReadonlySet<Queue>
}

export interface Forwarding {
  readonly takenBy: readonly Queue[]
  readonly refusedBy: readonly Queue[]
}
