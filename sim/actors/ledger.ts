import type { AuditVerdict } from '../../packages/cli/src/http-api/audit/audit-check.ts'
import type { Task } from '../../packages/cli/src/http-api/contract/contract.ts'
import type { RestoreReport } from '../../packages/warrenmq/src/recovery/backup/restore-backup.ts'
import type { Receipt } from '../../packages/warrenmq/src/recovery/receipt/receipt.ts'

/** What a handler does with a message, by attempt; the last one repeats. `die` ends the process, with all that it has in hand. */
export type Step = 'succeed' | 'throw' | 'reject' | 'die'

export interface PlannedMessage {
  readonly id: string
  readonly steps: readonly Step[]
  /** Where it goes: to the consumers, or straight into a queue where it stays. */
  readonly to: 'work' | 'archive'
  /** The body is no JSON although it says so. */
  readonly isBroken: boolean
  /** It carries headers of ours and of the broker with values that make no sense. */
  readonly isHostile: boolean
  /** A recovery knows where it goes. */
  readonly isOfKnownType: boolean
}

/** One call of a handler. */
export interface HandlerRun {
  readonly attempt: number
  readonly process: string
  readonly startedAtMs: number
  endedAtMs: number | undefined
  /** Undefined: the process died in it. */
  result: Step | undefined
}

/** What is known of one message, by those who see all of it. */
export interface Account {
  readonly plan: PlannedMessage
  /** Publishes that were begun. */
  sent: number
  confirmed: number
  /** Publishes whose result says that nobody has it. */
  refused: number
  readonly runs: HandlerRun[]
}

/** A re-drive, seen from outside. */
export interface RedriveNote {
  readonly receipt: Receipt
  /** So many messages it may have in flight at a time. */
  readonly window: number
}

/** A restore, seen from outside. */
export interface RestoreNote {
  readonly report: RestoreReport
  /** So many messages came into the queue meanwhile. */
  readonly published: number
  /** So many records the journal of earlier restores names, before this one began. */
  readonly doneBefore: number
}

/** A task of an admin server, when it came to its end there. */
export interface TaskEnd {
  readonly task: Task
  readonly receipt: Receipt | undefined
}

/** What the metrics of one consumer said when it closed, and what it had done. */
export interface MetricsNote {
  readonly process: string
  readonly text: string
  readonly runs: readonly HandlerRun[]
  /** Messages of which the shared store said that they are done. */
  readonly skipped: number
}

/** What a server found in a stream that does not belong there. */
export interface Stray {
  readonly server: string
  /** Of `openings`: a server that is started again reads the streams again. */
  readonly opening: number
  readonly stream: string
  readonly kind: string
}

/** What really happened, written down by the actors. Nobody in the library reads it. */
export class Ledger {
  readonly accounts = new Map<string, Account>()
  readonly receipts: RedriveNote[] = []
  readonly restores: RestoreNote[] = []
  readonly metrics: MetricsNote[] = []
  readonly taskEnds: TaskEnd[] = []
  /** Tasks that went on after an interruption: each part has a receipt of its own, or none, under the same id. */
  readonly resumed = new Set<string>()
  /** How often each was resumed, and once more for its beginning. */
  readonly parts = new Map<string, number>()
  /** What each server said of all tasks when it closed. */
  readonly seenTasks: { readonly server: string; readonly tasks: readonly Task[] }[] = []
  /** The hashes of records that the log says it has. */
  readonly audited: string[] = []
  /** These have done all that they were asked for, and every task has ended. */
  readonly idleServers = new Set<string>()
  readonly verdicts: AuditVerdict[] = []
  /** What servers found in their streams that does not belong there. */
  readonly strays: Stray[] = []
  /** How often a server was opened. */
  openings = 0
  /** Records that somebody without a key wrote into the stream of tasks. */
  forged = 0
  /** What was in a queue that an administrator deleted. Nobody promises anything about these. */
  readonly deleted = new Set<string>()
  /** Files that a discard wrote to. */
  readonly backups = new Set<string>()
  /** So many messages a restore or a re-drive may have put back twice, as it says itself. */
  mayBeTwice = 0
  /** The handlers were mended: from now on everything succeeds. */
  isMended = false

  plan(plan: PlannedMessage): void {
    this.accounts.set(plan.id, { plan, sent: 0, confirmed: 0, refused: 0, runs: [] })
  }

  account(id: string): Account {
    const found = this.accounts.get(id)
    if (!found) throw new Error(`Nobody has published a message "${id}".`)
    return found
  }
}
