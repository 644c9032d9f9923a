import { ApiError } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { Task } from '../contract/contract.ts'
import { findSnapshot, isVisible } from '../snapshots/find-snapshot.ts'
import type { KeptSnapshot } from '../snapshots/kept-snapshot.ts'
import { snapshotTask } from '../snapshots/snapshot-task.ts'

export type TaskPlaces = Pick<ApiContext, 'tasks' | 'snapshots' | 'settings' | 'renameFor'>

/** The tasks that a caller may see, the newest first: of all servers, and the snapshots of this one. */
export function visibleTasks(context: TaskPlaces, caller: Caller): readonly Task[] {
  const { tasks, snapshots } = context
  const made = snapshots.all().filter((kept) => isVisible(kept, { context, caller }))
  const all = [...made.map((kept) => snapshotTask(kept, snapshots.owner)), ...tasks.list()]
  const visible = all.filter(({ queue }) => mayReadQueue(caller, queue))
  return visible.toSorted((left, right) => (left.startedAt < right.startedAt ? 1 : -1))
}

/** Is another one as soon as the list of tasks may be. */
export function editionOfTasks({ tasks, snapshots }: Pick<ApiContext, 'tasks' | 'snapshots'>): string {
  return `${tasks.edition} ${snapshots.edition}`
}

/** Told as missing to whoever may not read its queue: that there is one is nobody's business. */
export function visibleTask(context: TaskPlaces, id: string, caller: Caller): Task {
  const kept = visibleSnapshot(context, id, caller)
  if (kept) return snapshotTask(kept, context.snapshots.owner)
  const task = context.tasks.get(id)
  if (mayReadQueue(caller, task.queue)) return task
  throw missing(id)
}

/** The snapshot with the id of a task; undefined where it is one of another kind. */
export function visibleSnapshot(context: TaskPlaces, id: string, caller: Caller): KeptSnapshot | undefined {
  if (!isSnapshotId(id)) return undefined
  const { queue } = context.snapshots.get(id)
  if (!mayReadQueue(caller, queue)) throw missing(id)
  return findSnapshot({ context, caller }, { queue, id })
}

export function isSnapshotId(id: string): boolean {
  return id.includes('.')
}

function missing(id: string): ApiError {
  return new ApiError({
    code: 'API_NOT_FOUND',
    message: `There is no task ${id}. GET /api/v1/tasks lists them.`,
  })
}
