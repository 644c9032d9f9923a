import type { RedriveProgress } from './recovery/redrive/redrive-options.ts'
import type {
  BackupRequest,
  CausesRequest,
  DiscardRequest,
  PeekRequest,
  QueueTarget,
  RedriveRequest,
  RestoreRequest,
} from './recovery/request/requests.ts'

/** Who asks. */
export interface Asker {
  /**
   * Your name: shown to anyone who finds the queue in use, and written into receipts. @default the host's name
   * @example { by: 'anna' }
   */
  readonly by?: string
}

/** What to show. */
export interface PeekOptions extends Omit<PeekRequest, 'queue'>, Asker {}

/** Which messages to group. */
export interface CausesOptions extends Omit<CausesRequest, 'queue' | 'groupBy'>, Asker {
  /**
   * Split each cause by `type`, `key`, `exchange`, `queue`, `attempts`, `header.NAME` or `body.PATH`.
   * @default one group per cause, with the fields (`splits`) that tell its messages apart
   * @example { groupBy: ['type', 'body.gateway'] }
   */
  readonly groupBy?: string | readonly string[]
}

/** Which messages to put back, how, and what to call meanwhile. */
export interface RedriveChoice extends Omit<RedriveRequest, 'queue' | 'to'>, Asker {
  /**
   * Where they go: `origin`, the queue each failed in; `retry`, its wait queue; `exchange`, where it was first published;
   * or a queue by its name. @default 'origin'
   * @example { to: 'retry' }
   */
  readonly to?: 'origin' | 'retry' | 'exchange' | QueueTarget
  /**
   * Cancels the re-drive: messages in flight are finished, and the rest stay in the queue.
   * @example { signal: AbortSignal.timeout(60_000) }
   */
  readonly signal?: AbortSignal
  /**
   * Called several times a second.
   * @example { onProgress: ({ moved, present }) => console.log(moved, 'of', present) }
   */
  readonly onProgress?: (progress: RedriveProgress) => void
  /**
   * Called every second while it waits for the broker (see `wait`), with how long it has waited.
   * @example { onWait: (waitingMs) => console.log('waiting for', waitingMs, 'ms') }
   */
  readonly onWait?: (waitingMs: number) => void
}

/** Which messages to write, and to which file. */
export interface BackupChoice extends Omit<BackupRequest, 'queue'>, Asker {
  /**
   * The file to write. An interrupted backup is continued.
   * @example { file: 'orders.backup' }
   */
  readonly file: string
  /**
   * Ends the backup. The file is then incomplete, and another run continues it.
   * @example { signal: AbortSignal.timeout(60_000) }
   */
  readonly signal?: AbortSignal
}

/** Which messages to remove, and into which file. */
export interface DiscardChoice extends Omit<DiscardRequest, 'queue'>, Asker {
  /**
   * The backup file for the removed messages. An interrupted discard is continued.
   * @example { file: 'orders.discarded' }
   */
  readonly file: string
  /**
   * Ends the discard. Messages that were not yet removed stay in the queue.
   * @example { signal: AbortSignal.timeout(60_000) }
   */
  readonly signal?: AbortSignal
}

/** What to put back from which file. */
export interface RestoreChoice extends Omit<RestoreRequest, 'queue'>, Asker {
  /**
   * A backup that `backUp` or `discard` wrote.
   * @example { file: 'orders.discarded' }
   */
  readonly file: string
  /**
   * Called for each message, with how many are done and how many the file has.
   * @example { onProgress: (done, records) => console.log(done, 'of', records) }
   */
  readonly onProgress?: (done: number, records: number) => void
}

/** How closely to check a receipt. */
export interface VerifyChoice extends Asker {
  /**
   * Also look into the queues where messages went. Their consumers wait meanwhile. @default false
   * @example { includesTargets: true }
   */
  readonly includesTargets?: boolean
  /**
   * Continue even though a queue deletes messages over its delivery limit when a connection breaks. @default false
   * @example { acceptDeliveryLimit: true }
   */
  readonly acceptDeliveryLimit?: boolean
}
