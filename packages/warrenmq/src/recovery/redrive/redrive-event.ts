import type { WalkEnd } from '../look/queue-walk.ts'
import type { Reconnection } from './crash-state.ts'
import type { KeepReason } from './plan-redrive.ts'

/** A message that was taken. The state passes it back in commands and never looks inside. */
export interface TakenMessage {
  readonly bytes: number
  /** What the rules say of it; undefined for one that is none of those counted. */
  readonly step: RedriveDecision | undefined
  /** The queues it would be put into, where their depth matters. */
  readonly queues?: readonly string[] | undefined
}

/** What the rules say of a message, whatever the limit. */
export type RedriveDecision =
  | { readonly kind: 'publish' }
  | { readonly kind: 'keep'; readonly reason: KeepReason }

/**
 * Why a publish has no answer. `connection-lost`: its connection or channel was lost. `closed`: the broker closed the
 * channel over it or over one that was in flight with it. `at-fault`: the broker named its exchange when it did so,
 * because the exchange does not exist or this user may not publish there.
 */
export type UnansweredCause = 'unsent' | 'connection-lost' | 'deadline' | 'closed' | 'at-fault'

export type RedriveConnection = 'consuming' | 'publishing'

/** Everything that happens to a re-drive: what the broker does, what people do, and time. */
export type RedriveEvent<Message extends TakenMessage> =
  | { readonly kind: 'started' }
  | { readonly kind: 'locked' }
  /** The queue was counted and its rules read, at the start and after every lost connection; no message is taken. */
  | {
      readonly kind: 'prepared'
      readonly depth: number
      readonly otherConsumers: number
      readonly returnLimit: number | undefined
      /** The queue may keep what a lost connection held for so long. */
      readonly returnsInMs: number
      /** Of those that were present, this many are in the over-limit queue. */
      readonly inOverLimitQueue: number
      /** How many the broker may send ahead. */
      readonly prefetch: number
    }
  /** Messages of those counted are in hand, all that one read of the connection brought. */
  | { readonly kind: 'delivered'; readonly messages: readonly Message[] }
  /** It was sent ahead and is none of those that were counted. */
  | { readonly kind: 'sent-ahead'; readonly message: Message }
  | { readonly kind: 'confirmed'; readonly messages: readonly Message[] }
  | { readonly kind: 'returned'; readonly message: Message }
  | {
      readonly kind: 'nacked'
      readonly message: Message
      /** It was meant for these queues; of several some may have it. */
      readonly queues: readonly string[]
      readonly mayBeThere: boolean
    }
  | {
      readonly kind: 'unanswered'
      readonly message: Message
      readonly cause: UnansweredCause
      readonly mayBeThere: boolean
      /** The broker said that it takes no larger body. */
      readonly largestBytes?: number | undefined
    }
  /**
   * So many more acks have arrived. By an answer: the broker has answered something that was sent on the same channel
   * after them. Else by deliveries: it sends no more than it may, so what it sent it could only send because of them.
   */
  | { readonly kind: 'acks-known'; readonly count: number; readonly isAnswer: boolean }
  /** A message that its queue would delete on its return is being copied to the end of its queue. */
  | { readonly kind: 'copying' }
  | {
      readonly kind: 'copied'
      readonly end: 'refreshed' | 'held' | 'held-with-copy'
      readonly inOverLimitQueue: number
    }
  | { readonly kind: 'walked'; readonly end: Exclude<WalkEnd, 'lost' | 'full'> }
  /** Messages cannot be held any longer. */
  | { readonly kind: 'time-up' }
  /** All that was held is back in the queue. */
  | { readonly kind: 'gave-back'; readonly returnsInMs: number; readonly hasLostNode: boolean }
  /** A channel that held messages is gone: they are back, or will be. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'relocked'; readonly held: 'held' | 'locked' | 'away' | 'closed' }
  | { readonly kind: 'rested' }
  | { readonly kind: 'disconnected'; readonly connection: RedriveConnection }
  | {
      readonly kind: 'connected'
      readonly connection: RedriveConnection
      readonly reconnection?: Reconnection
    }
  /** The broker does not let this user in any more. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'blocked' }
  | { readonly kind: 'unblocked' }
  /** Undefined: they could not be counted now. */
  | { readonly kind: 'targets-counted'; readonly depth: number | undefined }
  /** There is more in the queue than there should be: what was moved may be dead again. */
  | { readonly kind: 'suspected' }
  | { readonly kind: 'looked-for-dead'; readonly isTooMany: boolean; readonly isStageEnd: boolean }
  | { readonly kind: 'tick'; readonly ms: number }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'queue-gone' }
  | { readonly kind: 'failed'; readonly isForbidden?: boolean }
  | { readonly kind: 'counted'; readonly count: EndCount }

/** The result of the last count of the queue. `locked`: somebody else has the queue, so only its depth is known. */
export type EndCount =
  | {
      readonly kind: 'counted'
      readonly depth: number
      readonly otherConsumers: number
      readonly inOverLimitQueue: number
      readonly isLocked: boolean
      /** The queue gives nothing back any more. */
      readonly isAllBack: boolean
    }
  /** `isFailed`: an error kept it from counting. */
  | { readonly kind: 'uncounted'; readonly isFailed?: boolean }
  | { readonly kind: 'gone' }
