import type { Task, TaskState } from './contract-core.ts'
import type { ApprovalAsks, ApprovalState, KeptBackup } from './contract-dlq.ts'

/** What lists can be asked for. A part of contract.ts. */

/** A part of a list, and of a time. */
export interface ListQuery {
  /** Not older: a date (2030-01-31), or a time with its zone. */
  readonly from?: string
  /** Older than this. */
  readonly to?: string
  readonly limit: number
  /** The `nextCursor` of the page before. What has come in since is on no later page, and moves nothing there. */
  readonly cursor?: string
}

/** By when they began. */
export interface TaskQuery extends ListQuery {
  readonly state?: readonly TaskState[]
  readonly kind?: readonly Task['kind'][]
  readonly queue?: string
  readonly by?: string
}

/** By when they were asked for. */
export interface ApprovalQuery extends ListQuery {
  readonly state?: readonly ApprovalState[]
  readonly action?: readonly ApprovalAsks['action'][]
  readonly queue?: string
  /** Who asked. */
  readonly by?: string
}

/** By when they were begun. */
export interface BackupQuery extends ListQuery {
  readonly purpose?: readonly KeptBackup['purpose'][]
  readonly queue?: string
  readonly by?: string
}

/** By when they were written. */
export interface AuditQuery extends ListQuery {
  readonly action?: readonly string[]
  /** What it was done to: mostly a queue. */
  readonly target?: string
  readonly by?: string
}
