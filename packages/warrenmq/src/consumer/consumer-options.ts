import type { Clock } from '../clock.ts'
import type { Duration } from '../message/duration.ts'
import type { StandardSchema } from '../message/standard-schema.ts'
import type { TracingApi } from '../publisher/tracing-api.ts'
import type { BreakerPolicy } from './decide/breaker-state.ts'
import type { Middleware } from './handler.ts'
import type { StatusTable, StatusTableName } from './http/status-tables.ts'
import type { DedupeStore } from './middleware/dedupe.ts'
import type { BodyDecoder, ConsumedMessage } from './run/consumed-message.ts'

/** Where a stream is read from. */
export type StreamOffset = 'first' | 'last' | 'next' | number | Date | (string & {})

/** When a breaker opens, and for how long. */
export interface BreakerOptions extends Partial<BreakerPolicy> {
  /** Results older than this say nothing. @default '30s' */
  readonly window?: Duration
  /** The first pause; each probe that fails doubles it, up to `maxOpen`. @default '1s' */
  readonly open?: Duration
  /** The longest pause. @default '1m' */
  readonly maxOpen?: Duration
}

/** How a consumer works. */
export interface ConsumerOptions<Schema extends StandardSchema = StandardSchema> {
  /** Handlers that run at a time. @default 10 */
  readonly concurrency?: number
  /**
   * Messages the broker sends ahead, those in the handlers included. With fewer, several consumers share slow work
   * better, and a process that dies leaves fewer without an answer. @default twice the concurrency; up to 100 where
   * `timeout` promises that the last of them begins in time
   */
  readonly prefetch?: number
  /** Messages of one key are handled one at a time, in the order of their delivery. */
  readonly orderBy?: (message: ConsumedMessage) => unknown
  /**
   * After this long the handler's signal is aborted and the attempt has failed; at most 70 % of `ackTimeout`. A message
   * that waited too long for its turn to have this time before it is given back, and comes again with all of it.
   * @default until 80 % of `ackTimeout` after its receipt, and at least half of that
   */
  readonly timeout?: Duration
  /** The broker's `consumer_timeout`: no message waits and runs unacknowledged for longer than 80 % of it. @default '30m' */
  readonly ackTimeout?: Duration
  /** Waits up to this long are held in the process; longer ones go to a wait queue if there is one. @default '30s' */
  readonly holdUpTo?: Duration
  /** A retried message waits up to this much longer, at random, so that many that failed at once do not return at once. @default 0 */
  readonly retryJitter?: Duration
  /** What `{ status }` means. @default that of the layout */
  readonly statusTable?: StatusTableName | StatusTable
  /**
   * Runs alone that may end without an answer, by a crash or a lost connection, before a message is parked as poison. After
   * half as many deliveries without an answer it is run alone. Classic queues of event-bus refuse it: what is too early is
   * requeued there, and nobody can tell that from a crash. Means nothing on a plain queue without a
   * dead-letter exchange. @default 10; there, false
   */
  readonly poisonLimit?: number | false
  /**
   * The queue's delivery limit, by argument or policy; `false` where it has none. From half of it on a message that would
   * be lost over it is put at the end of its queue, which starts its count anew. @default what the topology
   * declares for the queue, else the broker's: 20 from 4.0 on
   */
  readonly deliveryLimit?: number | false
  /**
   * Takes no message before it is proved that a failed one is kept, where `false` begins with a warning if nobody can
   * tell. What is known to be missing is waited for in any case. @default false
   */
  readonly requireProof?: boolean
  /** Pauses consuming while most messages fail. `true` is `{ failureRatio: 0.5 }`. @default false */
  readonly breaker?: boolean | BreakerOptions
  /** @default 'auto': JSON and text by content type; without one, JSON where it is that beyond doubt; else bytes */
  readonly decode?: 'auto' | 'json' | BodyDecoder
  /** A Standard Schema (zod, valibot, arktype, …); what fails it is parked at once, and the handler gets its type. */
  readonly schema?: Schema
  /** Remembers which messages are done, so that a duplicate is acknowledged and not run. Short for `dedupe(store)`. */
  readonly dedupe?: DedupeStore
  /** Around the handler; the first is the outermost. */
  readonly middleware?: readonly Middleware[]
  /** Written into dead letters. */
  readonly service?: string
  /** Written into dead letters. @default the host's name */
  readonly host?: string
  /** The module `@opentelemetry/api`: one span per attempt. */
  readonly tracing?: TracingApi
  /** Higher ones are served first. An operator's consumer on a live queue should be negative. */
  readonly priority?: number
  /** No other consumer may take messages of the queue meanwhile; where one does already, it waits. @default false */
  readonly exclusive?: boolean
  /**
   * Where a stream is read from: `first`, `last`, `next`, an offset, a time, or how long ago, such as '1h'. After a lost
   * connection or a pause it goes on behind the last message that was handled. @default 'next'
   */
  readonly streamOffset?: StreamOffset
  /** @default the wall clock */
  readonly clock?: Clock
  /** From 0 (inclusive) to 1 (exclusive). @default Math.random */
  readonly random?: () => number
}
