import type { FailureKind } from '../redrive/failed-publish.ts'
import type { KeepReason } from '../redrive/plan-redrive.ts'
import type { NotedRequest } from '../request/note-request.ts'

/** How a re-drive ended. */
export type RedriveOutcome =
  | 'done'
  | 'cancelled'
  | 'held-too-long'
  | 'came-back-dead'
  | 'target-too-deep'
  | 'interrupted'

/**
 * What ended an interrupted run. `locked`: the connection was lost, and somebody else had the queue when it was back.
 * `node-lost`: a node is gone, and the queue has not given back what it held there. `no-progress`: the queue has
 * messages that pass after pass does not get. `queue-deleted`: somebody deleted the queue, and the remaining messages
 * with it. `away`: the broker, or the node of the queue, was away or accepted nothing for longer than the run was to
 * wait. `failed`: an error ended it; its message is among the `refusals`. `forbidden`: the same, and the error is that
 * the broker did not allow this user to do it. `taken`: it has moved what it was to move, but messages expired or
 * somebody else took them in the meantime, and it cannot say what became of those.
 */
export type Interruption =
  | 'locked'
  | 'node-lost'
  | 'no-progress'
  | 'queue-deleted'
  | 'away'
  | 'failed'
  | 'forbidden'
  | 'taken'

/** What became of every message that was in the queue when the re-drive began. */
export interface Receipt {
  /** The format of this document. */
  readonly format: 'warren-receipt/1'
  /** The id of the re-drive. Each message that it moved has it in a header. */
  readonly id: string
  /** The queue that it took messages from. */
  readonly queue: string
  /** The vhost of the queue. */
  readonly vhost: string
  /** Who did it. */
  readonly by: string
  /** Why, as the person who did it wrote. */
  readonly reason: string | undefined
  /** What was asked for. A receipt of 0.1 does not say. */
  readonly request?: NotedRequest
  /** The filter of the request; missing if all were to move. */
  readonly where?: string
  /** When it began, in ISO 8601. */
  readonly startedAt: string
  /** When it ended, in ISO 8601. */
  readonly endedAt: string
  /** Messages moved per second. */
  readonly ratePerSecond: number
  /** `came-back-dead` and `target-too-deep`: it stopped by one of its stop rules. `interrupted`: see `interruption`. */
  readonly outcome: RedriveOutcome
  /** What ended it, if it was interrupted. */
  readonly interruption?: Interruption
  /** In the queue at the start. Equals moved + failed + kept + stillThere. */
  readonly present: number
  /** Confirmed at their target and out of the queue: proved by acks, or by the broker's counts. */
  readonly moved: number
  /** Publishes that the broker confirmed; more than were moved if some had to go twice. A receipt of 0.1 does not say. */
  readonly published?: number
  /** Acks that were sent and not answered: at most this many more than `moved` are out of the queue. @default 0 */
  readonly acksInDoubt?: number
  /** Publishes without an answer, or refused by one queue of several: each may be at its target. @default 0 */
  readonly unanswered?: number
  /** Tried and not taken by their target; still in the queue. */
  readonly failed: number
  /** Seen and left in the queue. */
  readonly kept: number
  /** Not looked at; still in the queue. */
  readonly stillThere: number
  /**
   * Came into the queue during the run, including those that came back dead. The broker tells how many messages a
   * queue holds, but not which, so this number does not include what others took out in the meantime: it is exact
   * while `otherConsumers` is 0.
   */
  readonly arrivals: number
  /** Messages of this re-drive that died again, as far as it looked for them. */
  readonly cameBack: number
  /**
   * How many fewer messages the queue holds than it should: other consumers took them, or they were deleted with the
   * queue.
   */
  readonly missing: number
  /** Consumers of the queue besides this re-drive, at its start or its end. */
  readonly otherConsumers: number
  /** Messages that may be at their target twice. */
  readonly duplicatesPossible: number
  /** Kept messages that were put at the end of the queue, because giving them back would have deleted them. */
  readonly refreshed: number
  /**
   * Of those that failed, were kept or are still there: this many are in `<queue>.over-limit` now, because their queue
   * would have deleted them on their return and accepted no copy of them. @default 0
   */
  readonly movedAside?: number
  /**
   * Extra messages in the queue that look like messages that were moved and whose acks were lost, but may also be
   * other, equal messages. They are included in `duplicatesPossible`. @default 0
   */
  readonly unproved?: number
  /** The queue was counted at the end, and holds at least what it should. */
  readonly isBalanced: boolean
  /**
   * False: it was cancelled while the broker was away, so the queue was not counted: arrivals and missing are not
   * known.
   * @default true
   */
  readonly isCounted?: boolean
  /**
   * False: the routes could not be checked beforehand, so only the broker's answers protected the messages.
   * @default true
   */
  readonly areRoutesProved?: boolean
  /** Where messages went: the address, and how many. */
  readonly targets: readonly { readonly target: string; readonly moved: number }[]
  /** Which causes were moved: the id, its words, and how many. */
  readonly causes: readonly { readonly id: string; readonly label: string; readonly moved: number }[]
  /** `targets`: the first few targets; a receipt of an earlier version does not say. */
  readonly failures: readonly {
    readonly kind: FailureKind
    readonly count: number
    readonly targets?: readonly string[]
  }[]
  /** Why messages were kept, and how many of each. */
  readonly keptBecause: readonly { readonly reason: KeepReason; readonly count: number }[]
  /** Over the ids and bodies of the messages that were moved, whatever their order. */
  readonly digest: string
  /** Targets that were refused, and why; what the broker closed a channel for; and the error that ended a `failed` run. */
  readonly refusals: readonly string[]
}
