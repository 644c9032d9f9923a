import type { IncomingMessage } from '../../broker/amqp/message.ts'
import type { Broker } from '../../broker/broker.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import type { RedriveRequest } from '../request/requests.ts'
import type { Canary, DeadLimit } from './canary.ts'
import type { FailedPublish } from './failed-publish.ts'
import type { MessageEdit } from './message-edit.ts'
import type { Destination, KeepReason, TypeRoutes } from './plan-redrive.ts'

/** What to put back, where, how fast, and when to stop. */
export interface RedriveOptions extends Broker {
  /**
   * The queue to take from.
   * @example { queue: 'orders.dlq' }
   */
  readonly queue: string
  /**
   * The request, if there was one: the receipt keeps it.
   * @example { request: { queue: 'orders.dlq' } }
   */
  readonly request?: RedriveRequest | undefined
  /**
   * See `LookPermission`. @default false
   * @example { acceptDeliveryLimit: true }
   */
  readonly acceptDeliveryLimit?: boolean | undefined
  /**
   * Where messages go. @default { kind: 'origin' }
   * @example { to: { kind: 'queue', queue: 'orders' } }
   */
  readonly to?: Destination
  /**
   * Believe headers about where a message failed, if no queue is known to dead-letter here: anybody who may publish
   * can write them. Everything that people call asks for it explicitly. @default true
   * @example { trustHeaders: false }
   */
  readonly trustHeaders?: boolean
  /**
   * Start the count of attempts again, or continue it. @default 'reset'
   * @example { attempts: 'continue' }
   */
  readonly attempts?: 'reset' | 'continue'
  /**
   * Where messages of a type go if nothing else tells their origin.
   * @example { types: { routes: { OrderPlaced: { exchange: '', key: 'orders' } } } }
   */
  readonly types?: TypeRoutes | undefined
  /**
   * How the declared queues are retried and parked. @default []
   * @example { flows: compiled.flows }
   */
  readonly flows?: readonly QueueFlow[]
  /**
   * Which messages to move. @default all
   * @example { select: ({ bodyBytes }) => bodyBytes > 0 }
   */
  readonly select?: (message: IncomingMessage) => boolean
  /**
   * How many of the messages that were chosen one by one `select` has not seen.
   * @example { missingKeys: () => 0 }
   */
  readonly missingKeys?: () => number
  /**
   * The most messages to move.
   * @example { limit: 10 }
   */
  readonly limit?: number
  /**
   * The most messages to move in a second. @default no limit
   * @example { ratePerSecond: 500 }
   */
  readonly ratePerSecond?: number
  /**
   * Try a few first, wait, look for any that died again, and continue with ten times as many each time.
   * @example { canary: { messages: 10, waitMs: 30_000 } }
   */
  readonly canary?: Canary | undefined
  /**
   * Stop when this many of the moved messages are dead again. @default 1 with a canary, else never
   * @example { stopWhenDead: { share: 0.05 } }
   */
  readonly stopWhenDead?: DeadLimit | undefined
  /**
   * Stop before a target queue holds more ready messages than this.
   * @example { stopWhenTargetAbove: 10_000 }
   */
  readonly stopWhenTargetAbove?: number | undefined
  /**
   * Changes each message before it is put back; meant for one at a time. What it was is kept in a header.
   * @example { edit: () => ({ headers: { tenant: 'acme' } }) }
   */
  readonly edit?: ((message: IncomingMessage) => MessageEdit) | undefined
  /**
   * How long messages are held at most, in milliseconds; then they go back and are taken again.
   * @default 1500000, less if the queue says so
   * @example { maxHoldMs: 300_000 }
   */
  readonly maxHoldMs?: number | undefined
  /**
   * How long to wait for a broker that is away or has an alarm, or for a queue whose node is down, in milliseconds.
   * Then the run ends with what it knows. @default 600000
   * @example { waitMs: 60_000 }
   */
  readonly waitMs?: number | undefined
  /**
   * How long a publish may go without an answer before it counts as failed, in milliseconds. @default 60000
   * @example { answerMs: 10_000 }
   */
  readonly answerMs?: number | undefined
  /**
   * Messages that are taken and not acknowledged, and bytes that are published without an answer. This many may be
   * there twice if the process dies. @default 1000 messages, 16 MiB
   * @example { window: { messages: 100 } }
   */
  readonly window?: { readonly messages?: number; readonly bytes?: number }
  /**
   * Who does it.
   * @example { by: 'anna' }
   */
  readonly by: string
  /**
   * Why; written to every message and the receipt.
   * @example { reason: 'the gateway is back' }
   */
  readonly reason?: string
  /**
   * Names the re-drive in messages, receipt and lock. @default a new UUID
   * @example { id: '5f0c1c56-9d53-4b0a-8f39-0f1d1f6c2b11' }
   */
  readonly id?: string
  /**
   * Ids of re-drives that this one continues: messages that they put back and that are dead again stay.
   * @example { follows: new Set([receipt.id]) }
   */
  readonly follows?: ReadonlySet<string> | undefined
  /**
   * Cancels the re-drive.
   * @example { signal: AbortSignal.timeout(60_000) }
   */
  readonly signal?: AbortSignal
  /**
   * Called for each message that is moved.
   * @example { onProgress: ({ moved, present }) => console.log(moved, 'of', present) }
   */
  readonly onProgress?: (progress: RedriveProgress) => void
  /**
   * Called every second while it waits, see `waitMs`; with the time so far.
   * @example { onWait: (waitingMs) => console.log('waiting for', waitingMs, 'ms') }
   */
  readonly onWait?: ((waitingMs: number) => void) | undefined
  /**
   * A message stays in the queue. Called again in every pass, see `onAgain`.
   * @example { onKept: (_message, reason) => console.log('stays:', reason) }
   */
  readonly onKept?: (message: IncomingMessage, reason: KeepReason) => void
  /**
   * A message stays because it could not be published. Called again in every pass, see `onAgain`.
   * @example { onFailed: (_message, { kind }) => console.log('failed:', kind) }
   */
  readonly onFailed?: (message: IncomingMessage, failure: FailedPublish) => void
  /**
   * Another pass begins, for example because a connection was lost or a target refused: messages that stay are
   * reported from the start.
   * @example { onAgain: () => console.log('another pass') }
   */
  readonly onAgain?: () => void
}

/** How far a re-drive is. */
export interface RedriveProgress {
  /** `watching`: it waits whether what it moved comes back. */
  readonly state: 'moving' | 'watching' | 'paused'
  /** Messages in the queue at the start. */
  readonly present: number
  /** Messages moved so far. */
  readonly moved: number
  /** Messages that their target did not take. */
  readonly failed: number
  /** Messages left in the queue. */
  readonly kept: number
  /** How long it has been waiting for a broker that is away or has an alarm, or for the node of its queue. */
  readonly waitingMs?: number
}
