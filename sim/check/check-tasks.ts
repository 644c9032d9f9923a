import type { TaskState } from '../../packages/cli/src/http-api/contract/contract.ts'
import type { TaskEnd } from '../actors/ledger.ts'
import type { Evidence } from './evidence.ts'

/** Each task has come to its end, all servers say the same of it, and its end is that of its receipt. */
export function checkTasks({ ledger, violate }: Evidence): void {
  const known = new Map<string, string>()
  for (const { server, tasks } of ledger.seenTasks) {
    for (const { id, state, progress } of tasks) {
      if (!ended.has(state)) violate('tasks', `${server} says that the task ${id} is still ${state}`)
      const said = `${state}, moved ${progress.moved} of ${progress.present}`
      const other = known.get(id)
      if (other !== undefined && other !== said)
        violate('tasks', `of the task ${id} one server says "${other}", and ${server} "${said}"`)
      known.set(id, said)
    }
  }
  for (const end of ledger.taskEnds) {
    const problem = findProblem(end)
    if (problem) violate('tasks', `the task ${end.task.id} ${problem}`)
  }
}

function findProblem({ task, receipt }: TaskEnd): string | undefined {
  const { state, progress, movedBefore } = task
  if (!receipt) return state === 'failed' ? undefined : `is ${state} without a receipt`
  const isTold =
    state === stateOf(receipt.outcome) || (state === 'interrupted' && receipt.outcome === 'cancelled')
  if (!isTold) return `is ${state}, and its receipt is ${receipt.outcome}`
  if (progress.moved !== movedBefore + receipt.moved)
    return `says ${progress.moved} moved; its receipts say ${movedBefore} and ${receipt.moved}`
  return undefined
}

/** Said once more here: a checker that asks the server how a task should end would believe whatever it says. */
function stateOf(outcome: string): TaskState {
  if (outcome === 'done') return 'done'
  return outcome === 'cancelled' ? 'cancelled' : 'stopped'
}

const ended: ReadonlySet<TaskState> = new Set(['done', 'cancelled', 'stopped', 'failed', 'interrupted'])
