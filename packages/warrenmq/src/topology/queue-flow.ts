import type { AttemptsRule } from '../message/count-attempts.ts'
import type { Arguments, QueueType } from './declaration.ts'
import type { LayoutName } from './layouts/layout-names.ts'

/**
 * How messages of one queue are retried, deferred, parked, counted and re-driven, as data. Consumer and
 * recovery read this value; nothing outside `layouts/` knows a layout.
 */
export interface QueueFlow {
  /** The name in the declaration, which `consume()` takes. */
  readonly name: string
  /** The name on the broker. */
  readonly queue: string
  /** The layout of the queue. */
  readonly layout: LayoutName
  /** Whether it has only the arguments of the layout's original design. */
  readonly isExact: boolean
  /** None: a failure is parked immediately. */
  readonly retry: RetryRule | undefined
  /** How a message waits until its time. */
  readonly defer: DeferRule
  /** None: a plain queue without a dead-letter exchange, where a failure can only be given back. */
  readonly park: ParkRule | undefined
  /** How the attempts already made are read from a message. */
  readonly attempts: AttemptsRule
  /** The attempt after whose failure a message is parked. */
  readonly maxAttempts: number
  /**
   * The delivery limit that the queue is declared with; false if it lifts the broker's, undefined if the broker's
   * applies.
   */
  readonly deliveryLimit?: number | false | undefined
  /** The queue itself and its wait queues as they are declared; undefined where nothing but their names is known. */
  readonly declared?: readonly DeclaredQueue[] | undefined
  /** Where its dead letters go when they are put back. */
  readonly redrive: RedriveRule
  /** The wait queues, by name. */
  readonly waitQueues: readonly string[]
  /** The dead-letter queue, by name. */
  readonly deadLetterQueue: string | undefined
  /** The headers that the layout writes. */
  readonly headers: FlowHeaders
}

/** A queue that a failed message passes, as it was declared. */
export interface DeclaredQueue {
  /** Its name. */
  readonly name: string
  /** Its type. */
  readonly type: QueueType
  /** Whether it survives a restart of the broker. */
  readonly durable: boolean
  /** Whether the broker deletes it when its last consumer leaves. */
  readonly autoDelete: boolean
  /** Without `x-queue-type`, which is `type`. */
  readonly arguments: Arguments
}

/** Where a message is published: confirmed and mandatory, and only then is the delivery acknowledged. */
export interface PublishAddress {
  /** The exchange; `''` is the default exchange. */
  readonly exchange: string
  /** The routing key. */
  readonly key: string
}

/** How a failed message gets into a wait queue. */
export type RetryRule =
  /** Reject without requeue; the queue's dead-letter exchange leads to the wait queue and back. */
  | {
      readonly kind: 'reject'
      /** The delay of the wait queue, in milliseconds. */
      readonly delayMs: number
      /** The wait queue. */
      readonly waitQueue: string
    }
  /** Publish to the wait queue of the delay, then acknowledge. */
  | {
      readonly kind: 'publish'
      /** The wait queues, the shortest delay first. */
      readonly tiers: readonly DelayTier[]
      /** The delays before the second attempt, the third, and so on, in milliseconds. */
      readonly scheduleMs: readonly number[]
    }

/** One wait queue and how to reach it. Tiers are sorted by delay. */
export interface DelayTier extends PublishAddress {
  /** How long messages wait there, in milliseconds. */
  readonly delayMs: number
  /** The wait queue. */
  readonly queue: string
}

/** How a message waits until its time. */
export interface DeferRule {
  /** hold: keep the delivery unacknowledged. sleep-and-requeue: wait, then give it back to its queue. */
  readonly short: 'hold' | 'sleep-and-requeue'
  /** For waits too long to hold: publish to the tier nearest above. Empty: hold and requeue repeatedly. */
  readonly tiers: readonly DelayTier[]
}

/** How a message gets into its dead-letter queue. */
export type ParkRule =
  /** Without a key the message keeps its own: the exchange takes any. */
  | {
      readonly kind: 'publish'
      /** The exchange that leads there. */
      readonly exchange: string
      /** The routing key. */
      readonly key: string | undefined
    }
  /**
   * Reject without requeue; the queue's dead-letter exchange leads to the dead-letter queue. `to`: where it leads on a
   * plain queue, whose dead letters are nobody's but its owner's.
   */
  | {
      readonly kind: 'reject'
      /** Where the dead-letter exchange leads. */
      readonly to?: OwnDeadLetters
    }

/** The dead-letter exchange that a plain queue was declared with. Without a key a message keeps its own. */
export interface OwnDeadLetters {
  /** The dead-letter exchange. */
  readonly exchange: string
  /** The dead-letter routing key. */
  readonly key: string | undefined
}

/** Where dead letters of a queue go when they are put back. */
export interface RedriveRule {
  /** The queue it failed in, through the default exchange, so that no other consumer sees it again. */
  readonly origin: PublishAddress
  /** Into the wait queue first, where the layout has one. */
  readonly retry: PublishAddress | undefined
  /** The exchange that `--to exchange` takes when the message does not say where it came from. */
  readonly exchange: string | undefined
}

/** Header names of the layout. */
export interface FlowHeaders {
  /** The attempts made; in a reject loop, those before the last re-drive. */
  readonly attempts: string
  /** Where the message was first published. */
  readonly originalExchange: string
  /** The key that it was first published with. */
  readonly originalRoutingKey: string
  /** The queue that it failed in. */
  readonly originalQueue: string
  /** The HTTP status of the last attempt. */
  readonly finalStatusCode: string
  /** The error of the last attempt. */
  readonly finalError: string
  /** The retries that were made. */
  readonly finalRetryCount: string
}
