import type { Task, TaskState } from '../contract/contract.ts'
import type { KeptSnapshot } from './kept-snapshot.ts'

/** A snapshot as a task among the others. All that it has seen stays in the queue. */
export function snapshotTask(kept: KeptSnapshot, { host }: { readonly host: string }): Task {
  const { id, queue, by, startedAt, endedAt, problem, progress } = kept.describe()
  const state: TaskState = kept.isCancelling ? 'cancelling' : kept.state
  return {
    id,
    kind: 'snapshot',
    state,
    queue,
    by,
    reason: null,
    host,
    startedAt,
    endedAt,
    progress: { present: progress.present, moved: 0, failed: 0, kept: progress.seen },
    movedBefore: 0,
    problem,
    isSigned: true,
    limit: null,
  }
}
