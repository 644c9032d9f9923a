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
   * Who does it; shown to whoever finds the queue taken, and written into receipts. @default the host's name
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

/** Which messages to put back, how, and who listens. */
export interface RedriveChoice extends Omit<RedriveRequest, 'queue' | 'to'>, Asker {
  /**
   * Where they go: `origin`, the queue each failed in; `retry`, its wait queue; `exchange`, where it was first published;
   * or a queue by its name. @default 'origin'
   * @example { to: 'retry' }
   */
  readonly to?: 'origin' | 'retry' | 'exchange' | QueueTarget
  /**
   * Cancels: what is under way is finished, and the rest stays where it is.
   * @example { signal: AbortSignal.timeout(60_000) }
   */
  readonly signal?: AbortSignal
  /**
   * Told several times a second.
   * @example { onProgress: ({ moved, present }) => console.log(moved, 'of', present) }
   */
  readonly onProgress?: (progress: RedriveProgress) => void
  /**
   * Told every second while it waits for the broker, see `wait`; so long already.
   * @example { onWait: (waitingMs) => console.log('waiting for', waitingMs, 'ms') }
   */
  readonly onWait?: (waitingMs: number) => void
}

/** Which messages to write, and to which file. */
export interface BackupChoice extends Omit<BackupRequest, 'queue'>, Asker {
  /**
   * The file to write. An interrupted one is gone on with.
   * @example { file: 'orders.backup' }
   */
  readonly file: string
  /**
   * Ends it; the file is not complete then, and another run goes on with it.
   * @example { signal: AbortSignal.timeout(60_000) }
   */
  readonly signal?: AbortSignal
}

/** Which messages to remove, and into which file. */
export interface DiscardChoice extends Omit<DiscardRequest, 'queue'>, Asker {
  /**
   * The backup of what is removed. An interrupted one is gone on with.
   * @example { file: 'orders.discarded' }
   */
  readonly file: string
  /**
   * Ends it; what was not removed yet stays in the queue.
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
   * Told each message that is taken up: so many of those in the file.
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
   * Go on although a queue deletes messages that are over its delivery limit when a connection breaks. @default false
   * @example { acceptDeliveryLimit: true }
   */
  readonly acceptDeliveryLimit?: boolean
}
