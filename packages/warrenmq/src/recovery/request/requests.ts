import type { Duration } from '../../message/duration.ts'

// What people ask for, as data. The command line, the HTTP API and the library fill these in; tasks, receipts and the
// audit log carry them; and `request-schemas.ts` is made from this file (`npm run generate`). Names, limits and
// descriptions are written here and nowhere else.

/** Of every request that takes messages from a queue. */
export interface QueueRequest {
  /**
   * The queue, by its name on the broker.
   * @minLength 1
   * @maxLength 255
   * @example billing.orders.dlq
   */
  readonly queue: string
  /**
   * Only messages that match, for example `type:OrderPlaced and (cause:Timeout or died<2h)`. Leave it out for all.
   * @minLength 1
   * @maxLength 2048
   * @example cause:Timeout and died<2h
   */
  readonly where?: string
  /**
   * Continue even though the queue deletes messages over its delivery limit when a connection breaks.
   * @default false
   * @example false
   */
  readonly acceptDeliveryLimit?: boolean
  /**
   * Give messages back after this time and take them again. For a broker with a short `consumer_timeout`.
   * @default 25m
   * @example 5m
   */
  readonly hold?: Duration
}

/** What requests that choose messages have in common. */
export interface ChosenRequest extends QueueRequest {
  /**
   * Only these messages, by the keys that the HTTP API and the console list them with. With `where`, both must match.
   * @minItems 1
   * @maxItems 500
   * @pattern ^[0-9a-f]{32}$
   * @example ["0cc175b9c0f1b6a831c399e269772661"]
   */
  readonly keys?: readonly string[]
}

/** Show messages of a queue and leave them there. */
export interface PeekRequest extends QueueRequest {
  /**
   * Show this many messages.
   * @integer
   * @minimum 1
   * @default 20
   * @example 20
   */
  readonly count?: number
  /**
   * Show this many bytes of each body.
   * @integer
   * @minimum 0
   * @default 1024
   * @example 1024
   */
  readonly bodyBytes?: number
}

/** Show why the messages of a queue died. */
export interface CausesRequest extends QueueRequest {
  /**
   * Look at this many messages, from the head of the queue. Leave it out for all.
   * @integer
   * @minimum 1
   * @example 20
   */
  readonly count?: number
  /**
   * Split each cause by `type`, `key`, `exchange`, `queue`, `attempts`, `header.NAME` or `body.PATH`; separate several
   * with commas.
   * @minLength 1
   * @maxLength 2048
   * @example type,body.gateway
   */
  readonly groupBy?: string
}

/** Write the messages of a queue to a file and leave them in the queue. */
export interface BackupRequest extends QueueRequest {}

/** Remove messages from a queue, after writing each of them to a backup. */
export interface DiscardRequest extends ChosenRequest {
  /**
   * Remove at most this many messages.
   * @integer
   * @minimum 1
   * @example 10
   */
  readonly limit?: number
  /**
   * Why; written to the audit log.
   * @minLength 1
   * @maxLength 1024
   * @example older than the refund window
   */
  readonly reason?: string
}

/** Put the messages of a backup back into their queue, each once. */
export interface RestoreRequest {
  /**
   * The queue to put them into. Leave it out for the queue that was backed up.
   * @minLength 1
   * @maxLength 255
   * @example billing.orders.dlq
   */
  readonly queue?: string
  /**
   * Continue even though the queue deletes messages over its delivery limit when a connection breaks.
   * @default false
   * @example false
   */
  readonly acceptDeliveryLimit?: boolean
  /**
   * Why; written to the audit log.
   * @minLength 1
   * @maxLength 1024
   * @example discarded by mistake
   */
  readonly reason?: string
}

/**
 * Put dead letters back to work.
 * @example { "queue": "billing.orders.dlq", "where": "cause:Timeout", "canary": { "messages": 10, "wait": "30s" }, "reason": "the gateway is back" }
 */
export interface RedriveRequest extends ChosenRequest {
  /**
   * Where messages go: `origin`, the queue each failed in; `retry`, its wait queue; `exchange`, where it was first published;
   * or the name of a queue.
   * @default origin
   * @minLength 1
   * @maxLength 255
   * @example origin
   */
  readonly to?: 'origin' | 'retry' | 'exchange' | (string & {}) | QueueTarget
  /**
   * Trust headers that say where a message failed, if no queue is known to dead-letter here. Anybody who may publish
   * can write them.
   * @default false
   * @example false
   */
  readonly trustHeaders?: boolean
  /**
   * Reset the count of attempts, or continue it.
   * @default reset
   * @example reset
   */
  readonly attempts?: 'reset' | 'continue'
  /**
   * Move at most this many messages.
   * @integer
   * @minimum 1
   * @example 10
   */
  readonly limit?: number
  /**
   * Move at most this many messages per second.
   * @integer
   * @minimum 1
   * @maximum 1000000
   * @example 500
   */
  readonly ratePerSecond?: number
  /**
   * Send a few messages first, wait, and continue with ten times as many each time if none dies again.
   * @example { "messages": 10, "wait": "30s" }
   */
  readonly canary?: CanaryRequest
  /**
   * Stop when this many of the moved messages have died again: a number, or a percentage such as `5%`. With a canary,
   * the default is 1.
   * @integer
   * @minimum 1
   * @pattern ^(100|[1-9][0-9]?|[0-9]{1,2}\.[0-9]+)%$
   * @example 5%
   */
  readonly stopWhenDead?: number | `${number}%`
  /**
   * Stop before a target holds more ready messages than this.
   * @integer
   * @minimum 1
   * @example 10000
   */
  readonly stopWhenTargetAbove?: number
  /**
   * Change the message on its way. Exactly one message must match; a header keeps the original.
   * @example { "headers": { "tenant": "acme" } }
   */
  readonly edit?: EditRequest
  /**
   * Wait this long for a broker that is away or has an alarm.
   * @default 10m
   * @example 10m
   */
  readonly wait?: Duration
  /**
   * How much may be in flight at once. After a crash, this many messages may exist twice.
   * @example { "messages": 100 }
   */
  readonly window?: WindowRequest
  /**
   * Why; written to every message, the receipt and the audit log.
   * @minLength 1
   * @maxLength 1024
   * @example the gateway is back
   */
  readonly reason?: string
}

/** A queue by name, even if the name is `origin`, `retry` or `exchange`. */
export interface QueueTarget {
  /**
   * The name of the queue.
   * @minLength 1
   * @maxLength 255
   * @example retry
   */
  readonly queue: string
}

/** A few messages first. */
export interface CanaryRequest {
  /**
   * Send this many messages first.
   * @integer
   * @minimum 1
   * @example 10
   */
  readonly messages: number
  /**
   * Watch this long for messages that die again.
   * @default 10s
   * @example 10m
   */
  readonly wait?: Duration
}

/** What may be in flight at once. */
export interface WindowRequest {
  /**
   * Messages taken and not yet acknowledged; 1 moves them one by one.
   * @integer
   * @minimum 1
   * @maximum 65535
   * @default 1000
   * @example 100
   */
  readonly messages?: number
  /**
   * Bytes published and not yet confirmed.
   * @integer
   * @minimum 1
   * @maximum 268435456
   * @default 16777216
   * @example 1048576
   */
  readonly bytes?: number
}

/** What changes in a message. */
export interface EditRequest {
  /**
   * The new body: text, or bytes in base64. Leave it out to keep the old one.
   * @example {"order":42}
   */
  readonly body?: string | EncodedBody
  /**
   * Headers to add or replace; null removes a header.
   * @maxProperties 100
   * @example { "tenant": "acme", "stale": null }
   */
  readonly headers?: Readonly<Record<string, JsonValue>>
}

/** A body and its encoding. */
export interface EncodedBody {
  /**
   * `base64` for bytes that are not text.
   * @example base64
   */
  readonly encoding: 'utf8' | 'base64'
  /**
   * The body in that encoding.
   * @example eyJvcmRlciI6NDJ9
   */
  readonly text: string
}

/** Any JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }
