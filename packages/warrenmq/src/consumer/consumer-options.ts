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
  /**
   * Results older than this do not count. @default '30s'
   * @example { window: '1m' }
   */
  readonly window?: Duration
  /**
   * The first pause; each probe that fails doubles it, up to `maxOpen`. @default '1s'
   * @example { open: '5s' }
   */
  readonly open?: Duration
  /**
   * The longest pause. @default '1m'
   * @example { maxOpen: '5m' }
   */
  readonly maxOpen?: Duration
}

/** How a consumer works. */
export interface ConsumerOptions<Schema extends StandardSchema = StandardSchema> {
  /**
   * Handlers that run at a time. @default 10
   * @example { concurrency: 20 }
   */
  readonly concurrency?: number
  /**
   * Messages the broker sends ahead, including those in the handlers. With fewer, several consumers share slow work
   * better, and a process that dies leaves fewer without an answer. @default twice the concurrency; up to 100 if
   * `timeout` guarantees that the last of them starts in time
   * @example { prefetch: 50 }
   */
  readonly prefetch?: number
  /**
   * Messages of one key are handled one at a time, in the order of their delivery.
   * @example { orderBy: (message) => message.headers['customer-id'] }
   */
  readonly orderBy?: (message: ConsumedMessage) => unknown
  /**
   * After this long the handler's signal is aborted and the attempt has failed; at most 70 % of `ackTimeout`. A message
   * that waited too long for its turn to have this time before it is given back, and comes again with all of it.
   * @default until 80 % of `ackTimeout` after its receipt, and at least half of that
   * @example { timeout: '10s' }
   */
  readonly timeout?: Duration
  /**
   * The broker's `consumer_timeout`: no message waits and runs unacknowledged for longer than 80 % of it. @default '30m'
   * @example { ackTimeout: '1h' }
   */
  readonly ackTimeout?: Duration
  /**
   * Waits up to this long are held in the process; longer ones go to a wait queue if there is one. @default '30s'
   * @example { holdUpTo: '10s' }
   */
  readonly holdUpTo?: Duration
  /**
   * A retried message waits up to this much longer, at random, so that messages that failed together do not all return
   * together. @default 0
   * @example { retryJitter: '2s' }
   */
  readonly retryJitter?: Duration
  /**
   * What `{ status }` means. @default that of the layout
   * @example { statusTable: 'event-bus' }
   */
  readonly statusTable?: StatusTableName | StatusTable
  /**
   * How many runs alone may end without an answer, through a crash or a lost connection, before a message is parked as
   * poison. After half as many deliveries without an answer it runs alone. Classic queues of event-bus refuse this
   * option: they requeue messages that are too early, which looks like a crash. It has no effect on a plain queue
   * without a dead-letter exchange. @default 10; on those queues false
   * @example { poisonLimit: 5 }
   */
  readonly poisonLimit?: number | false
  /**
   * The queue's delivery limit, by argument or policy; `false` if it has none. From half of it on, a message that the
   * queue would delete is put at the end of the queue, which restarts its count. @default what the topology declares
   * for the queue, else the broker's: 20 from 4.0 on
   * @example { deliveryLimit: 50 }
   */
  readonly deliveryLimit?: number | false
  /**
   * Take no message until it is proved that a failed one is kept. With `false` the consumer starts with a warning if
   * this cannot be proved. It waits for what is known to be missing in either case. @default false
   * @example { requireProof: true }
   */
  readonly requireProof?: boolean
  /**
   * Pauses consuming while most messages fail. `true` is `{ failureRatio: 0.5 }`. @default false
   * @example { breaker: { failureRatio: 0.5, open: '5s' } }
   */
  readonly breaker?: boolean | BreakerOptions
  /**
   * How a body becomes the handler's `message.body`. @default 'auto': JSON and text by content type; without one, JSON
   * if it clearly is JSON; else bytes
   * @example { decode: 'json' }
   */
  readonly decode?: 'auto' | 'json' | BodyDecoder
  /**
   * A Standard Schema (zod, valibot, arktype, …). A message that fails it is parked immediately, and the handler gets
   * its type.
   * @example { schema: z.object({ id: z.number() }) }
   */
  readonly schema?: Schema
  /**
   * Remembers which messages are done, so that a duplicate is acknowledged and not run. Short for `dedupe(store)`.
   * @example { dedupe: memoryDedupeStore() }
   */
  readonly dedupe?: DedupeStore
  /**
   * Around the handler; the first is the outermost.
   * @example { middleware: [throttle({ perSecond: 50 })] }
   */
  readonly middleware?: readonly Middleware[]
  /**
   * Written into dead letters.
   * @example { service: 'billing' }
   */
  readonly service?: string
  /**
   * Written into dead letters. @default the host's name
   * @example { host: 'billing-7f9c' }
   */
  readonly host?: string
  /**
   * The module `@opentelemetry/api`: one span per attempt.
   * @example { tracing: opentelemetry }
   */
  readonly tracing?: TracingApi
  /**
   * Higher ones are served first. An operator's consumer on a live queue should be negative.
   * @example { priority: -10 }
   */
  readonly priority?: number
  /**
   * No other consumer may take messages of the queue meanwhile. If one already does, this one waits. @default false
   * @example { exclusive: true }
   */
  readonly exclusive?: boolean
  /**
   * Where a stream is read from: `first`, `last`, `next`, an offset, a time, or how long ago, such as '1h'. After a lost
   * connection or a pause it continues behind the last message that was handled. @default 'next'
   * @example { streamOffset: '1h' }
   */
  readonly streamOffset?: StreamOffset
  /**
   * The clock for delays and deadlines; a test can pass its own. @default the wall clock
   * @example { clock }
   */
  readonly clock?: Clock
  /**
   * The source of chance for jitter, from 0 (inclusive) to 1 (exclusive). @default Math.random
   * @example { random: () => 0.5 }
   */
  readonly random?: () => number
}
