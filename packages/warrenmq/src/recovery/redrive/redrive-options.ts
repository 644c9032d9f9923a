import type { IncomingMessage } from '../../broker/amqp/message.ts'
import type { Broker } from '../../broker/broker.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import type { RedriveRequest } from '../request/requests.ts'
import type { Canary, DeadLimit } from './canary.ts'
import type { FailedPublish } from './failed-publish.ts'
import type { MessageEdit } from './message-edit.ts'
import type { Destination, KeepReason, TypeRoutes } from './plan-redrive.ts'

export interface RedriveOptions extends Broker {
  readonly queue: string
  /** The request, if there was one: the receipt keeps it. */
  readonly request?: RedriveRequest | undefined
  /** See `LookPermission`. @default false */
  readonly acceptDeliveryLimit?: boolean | undefined
  /** @default { kind: 'origin' } */
  readonly to?: Destination
  /**
   * Believe headers about where a message failed, if no queue is known to dead-letter here: anybody who may publish
   * can write them. Everything that people call asks for it explicitly. @default true
   */
  readonly trustHeaders?: boolean
  /** Start the count of attempts again, or continue it. @default 'reset' */
  readonly attempts?: 'reset' | 'continue'
  /** Where messages of a type go if nothing else tells their origin. */
  readonly types?: TypeRoutes | undefined
  /** How the declared queues are retried and parked. @default [] */
  readonly flows?: readonly QueueFlow[]
  /** Which messages to move. @default all */
  readonly select?: (message: IncomingMessage) => boolean
  /** Of messages that were chosen one by one, so many `select` was not asked about. */
  readonly missingKeys?: () => number
  /** The most messages to move. */
  readonly limit?: number
  readonly ratePerSecond?: number
  /** Try a few first, wait, look whether they come back dead, and continue with ten times as many each time. */
  readonly canary?: Canary | undefined
  /** Stop when this many of the moved messages are dead again. @default 1 with a canary, else never */
  readonly stopWhenDead?: DeadLimit | undefined
  /** Stop before a target queue holds more ready messages than this. */
  readonly stopWhenTargetAbove?: number | undefined
  /** Changes each message before it is put back; meant for one at a time. What it was is kept in a header. */
  readonly edit?: ((message: IncomingMessage) => MessageEdit) | undefined
  /**
   * How long messages are held at most, in milliseconds; then they go back and are taken again.
   * @default 1500000, less if the queue says so
   */
  readonly maxHoldMs?: number | undefined
  /**
   * How long to wait for a broker that is away or has an alarm, or for a queue whose node is down, in milliseconds.
   * Then the run ends with what it knows. @default 600000
   */
  readonly waitMs?: number | undefined
  /** How long a publish may go without an answer before it counts as failed, in milliseconds. @default 60000 */
  readonly answerMs?: number | undefined
  /**
   * Messages that are taken and not acknowledged, and bytes that are published without an answer. This many may be
   * there twice if the process dies. @default 1000 messages, 16 MiB
   */
  readonly window?: { readonly messages?: number; readonly bytes?: number }
  /** Who does it. */
  readonly by: string
  readonly reason?: string
  /** @default a new UUID */
  readonly id?: string
  /** Ids of re-drives that this one continues: messages that they put back and that are dead again stay. */
  readonly follows?: ReadonlySet<string> | undefined
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: RedriveProgress) => void
  /** Called every second while it waits, see `waitMs`; with the time so far. */
  readonly onWait?: ((waitingMs: number) => void) | undefined
  /** A message stays in the queue. Called again in every pass, see `onAgain`. */
  readonly onKept?: (message: IncomingMessage, reason: KeepReason) => void
  readonly onFailed?: (message: IncomingMessage, failure: FailedPublish) => void
  /**
   * Another pass begins, for example because a connection was lost or a target refused: messages that stay are
   * reported from the start.
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
  /** So long it waits already for a broker that is away or has an alarm, or for the node of its queue. */
  readonly waitingMs?: number
}
