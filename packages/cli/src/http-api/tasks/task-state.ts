import type { TaskState } from '../contract/contract.ts'

export type TaskStep = 'pause' | 'resume' | 'cancel'

/** What asking for a step makes of a task; `ended` where there is nothing left to ask for. */
export function nextTaskState(state: TaskState, step: TaskStep): TaskState | 'ended' {
  switch (state) {
    case 'running':
    case 'paused':
      return step === 'cancel' ? 'cancelling' : step === 'pause' ? 'paused' : 'running'
    case 'cancelling':
      return 'cancelling' // it cannot be called back: some of the rest has been let go already
    case 'interrupted':
      return step === 'resume' ? 'running' : 'ended'
    case 'done':
    case 'cancelled':
    case 'stopped':
    case 'failed':
      return 'ended'
  }
}

/** How a task ended, by the outcome that its receipt tells. */
export function endedState(outcome: string): TaskState {
  return outcome === 'done' || outcome === 'cancelled' ? outcome : 'stopped'
}

/** Nobody works on it. */
export function isEnded(state: TaskState): boolean {
  return nextTaskState(state, 'cancel') === 'ended'
}
