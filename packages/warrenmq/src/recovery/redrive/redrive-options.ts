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
  /** What was asked for, where somebody asked: the receipt keeps it. */
  readonly request?: RedriveRequest | undefined
  /** See `LookPermission`. @default false */
  readonly acceptDeliveryLimit?: boolean | undefined
  /** @default { kind: 'origin' } */
  readonly to?: Destination
  /**
   * Believe what headers tell of where a message failed, where no queue is known to dead-letter here: anybody who may
   * publish can write them. What people call asks for it. @default true
   */
  readonly trustHeaders?: boolean
  /** Start the count of attempts again, or go on with it. @default 'reset' */
  readonly attempts?: 'reset' | 'continue'
  /** Where messages of a type go whose origin nothing else tells. */
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
  /** Try a few first, wait, look whether they come back dead, and go on with ten times as many each time. */
  readonly canary?: Canary | undefined
  /** Stop when so many of the moved messages are dead again. @default 1 with a canary, else never */
  readonly stopWhenDead?: DeadLimit | undefined
  /** Stop before a target queue holds more ready messages than this. */
  readonly stopWhenTargetAbove?: number | undefined
  /** Changes each message before it is put back; meant for one at a time. What it was is kept in a header. */
  readonly edit?: ((message: IncomingMessage) => MessageEdit) | undefined
  /**
   * How long messages are held at most, in milliseconds; then they go back and are taken again.
   * @default 1500000, less where the queue says so
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
   * Messages that are taken and not acknowledged, and bytes that are published without an answer. So many may be there
   * twice if the process dies. @default 1000 messages, 16 MiB
   */
  readonly window?: { readonly messages?: number; readonly bytes?: number }
  /** Who does it. */
  readonly by: string
  readonly reason?: string
  /** @default a new UUID */
  readonly id?: string
  /** Ids of re-drives that this one goes on with: what they put back and is dead again stays. */
  readonly follows?: ReadonlySet<string> | undefined
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: RedriveProgress) => void
  /** Told every second while it waits, see `waitMs`; so long already. */
  readonly onWait?: ((waitingMs: number) => void) | undefined
  /** A message stays in the queue. Told again in every pass, see `onAgain`. */
  readonly onKept?: (message: IncomingMessage, reason: KeepReason) => void
  readonly onFailed?: (message: IncomingMessage, failure: FailedPublish) => void
  /** Another pass begins, e.g. because a connection was lost or a target refused: what stays is told from the start. */
  readonly onAgain?: () => void
}

export interface RedriveProgress {
  /** `watching`: it waits whether what it moved comes back. */
  readonly state: 'moving' | 'watching' | 'paused'
  readonly present: number
  readonly moved: number
  readonly failed: number
  readonly kept: number
  /** So long it waits already for a broker that is away or has an alarm, or for the node of its queue. */
  readonly waitingMs?: number
}
