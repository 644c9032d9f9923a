import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import type { Task } from '../contract/contract.ts'

/** The tasks that a caller may see, the newest first. */
export function visibleTasks({ tasks }: Pick<ApiContext, 'tasks'>, caller: Caller): readonly Task[] {
  return tasks.list().filter(({ queue }) => mayReadQueue(caller, queue))
}
