import type { RedriveRequest } from 'warrenmq/operations'
import type { ApplyRequest } from './contract-topology.ts'
import type { DiscardRequest } from './requests.ts'

/** Editing, keeping, discarding, approving and the history, on the line. A part of contract.ts. */

/** One message put back with changes; what it was is kept in a header of the new one. */
export interface FilterQuery {
  readonly where?: string
}

export interface Discarded {
  readonly kind: 'discarded'
  readonly queue: string
  readonly present: number
  /** In the backup, and gone from the queue. */
  readonly removed: number
  readonly left: number
  /** False: some that look like removed ones are still there. Ask again. */
  readonly isDone: boolean
  readonly backup: KeptBackup
}

export interface KeptBackup {
  readonly id: string
  readonly purpose: 'backup' | 'discard'
  readonly queue: string
  readonly vhost: string
  readonly by: string
  readonly startedAt: string
  readonly sizeBytes: number
}

export interface BackupParams {
  readonly id: string
}

export interface DeleteBackupQuery {
  /** Delete it although it holds the only copy of messages. @default false */
  readonly force?: boolean
  /** For the audit log. */
  readonly reason?: string
}

export interface BackupList {
  /** The newest first. */
  readonly items: readonly KeptBackup[]
  /** Leads to older ones; null where there are none. */
  readonly nextCursor: string | null
}

export interface Restored {
  readonly queue: string
  readonly records: number
  readonly restored: number
  readonly restoredBefore: number
  readonly alreadyThere: number
  /** Of a discard: these never left the queue. */
  readonly notRemoved: number
  /** At most so many copies too many are in the queue now: an earlier run was interrupted, or a crash of RabbitMQ brought them back. */
  readonly duplicatesPossible: number
  readonly failed: number
}

export interface HistoryQuery {
  /** How far back. */
  readonly seconds: number
  /** The most points of a queue; more samples than that are put together. */
  readonly points: number
}

export interface DepthHistory {
  readonly queue: string
  /** The oldest first. */
  readonly points: readonly HistoryPoint[]
}

export interface HistoryPoint {
  readonly at: string
  /** Messages in the queue, at the end of the time that the point stands for. */
  readonly messages: number
  /** How fast it grew since the point before; below zero: it shrank. Null at the first. */
  readonly perSecond: number | null
}

export interface HistoryList {
  readonly everySeconds: number
  readonly items: readonly DepthHistory[]
}

/** What comes and goes in a queue, over the last seconds. Null: RabbitMQ does not say. */
export interface QueueTraffic {
  readonly queue: string
  readonly type: string | null
  /** Dead letters end here. */
  readonly isDlq: boolean
  readonly ready: number | null
  readonly unacknowledged: number | null
  readonly consumers: number | null
  readonly inPerSecond: number | null
  readonly outPerSecond: number | null
  readonly acknowledgedPerSecond: number | null
}

export interface QueueTrafficList {
  readonly vhost: string
  /** When RabbitMQ was asked; its own figures are up to five seconds older. */
  readonly at: string
  readonly items: readonly QueueTraffic[]
}

export type ApprovalState = 'waiting' | 'granted' | 'refused' | 'expired'

/** What waits for a second person, or did. */
export interface Approval {
  readonly kind: 'approval'
  readonly id: string
  readonly asks: ApprovalAsks
  /** The most messages that it can be about; null where it is about none. */
  readonly messages: number | null
  readonly by: string
  readonly reason: string | null
  readonly askedAt: string
  readonly expiresAt: string
  readonly state: ApprovalState
  readonly decidedBy: string | null
  readonly decidedAt: string | null
  /** False: no server with this one's key wrote it, so nobody knows who asked, and nobody can grant it. */
  readonly isSigned: boolean
}

/** The request that is made once it is granted. A re-drive then has the id of its approval. */
export type ApprovalAsks =
  | { readonly action: 'redrive'; readonly request: RedriveRequest }
  | { readonly action: 'discard'; readonly queue: string; readonly request: DiscardRequest }
  | { readonly action: 'apply'; readonly request: ApplyRequest }

export interface ApprovalParams {
  readonly id: string
}

export interface ApprovalList {
  /** The newest first. */
  readonly items: readonly Approval[]
  /** Leads to older ones; null where there are none. */
  readonly nextCursor: string | null
}
