import { randomUUID } from 'node:crypto'
import { ApiError, RecoveryError } from '../../errors.ts'
import type { Receipt } from '../../recovery/receipt.ts'
import { type Redrive, type RedriveOptions, startRedrive } from '../../recovery/redrive.ts'
import type { QueueTurns } from '../broker-line.ts'
import type { Problem, Task, TaskState } from '../contract.ts'
import { problemOf } from '../problems.ts'
import { endedState, isEnded, nextTaskState, type TaskStep } from './task-state.ts'

interface OpenTask {
  readonly id: string
  readonly queue: string
  readonly by: string
  readonly reason: string | undefined
  readonly startedAt: string
  readonly run: () => Redrive
  redrive: Redrive | undefined
  state: TaskState
  endedAt: string | undefined
  receipt: Receipt | undefined
  problem: Problem | undefined
  readonly ended: Promise<void>
}

/** The longest list; older ones that have ended are forgotten here and stay in the audit log. */
const mostTasks = 1_000

/** The re-drives of this server, from their start to their receipt. */
export class Tasks {
  readonly #tasks = new Map<string, OpenTask>()
  readonly #turns: QueueTurns

  constructor(turns: QueueTurns) {
    this.#turns = turns
  }

  /**
   * Starts as soon as nobody of this server looks at the queue. A second one on a queue is refused.
   * @param onEnd must not throw
   */
  start(options: RedriveOptions, onEnd: (task: Task, receipt: Receipt | undefined) => Promise<void>): Task {
    this.refuseIfBusy(options.queue)
    const id = options.id ?? randomUUID()
    const task: OpenTask = {
      ...{ id, queue: options.queue, by: options.by, reason: options.reason },
      startedAt: new Date().toISOString(),
      run: () => startRedrive({ ...options, id }),
      redrive: undefined,
      state: 'running',
      ...{ endedAt: undefined, receipt: undefined, problem: undefined },
      ended: Promise.resolve().then(() => this.#work(task, onEnd)),
    }
    this.#tasks.set(id, task)
    this.#forgetOld()
    return describe(task)
  }

  /** Throws where a task works on the queue: its messages are in no state to be looked at. */
  refuseIfBusy(queue: string): void {
    const busy = [...this.#tasks.values()].find((task) => task.queue === queue && !isEnded(task.state))
    if (!busy) return
    throw new RecoveryError({
      code: 'RECOVERY_LOCKED',
      message: `The re-drive ${busy.id} of ${busy.by} works on the queue "${queue}". Wait until it is done, or cancel it.`,
    })
  }

  /** The newest first. */
  list(): readonly Task[] {
    return [...this.#tasks.values()].map(describe).reverse()
  }

  get(id: string): Task {
    return describe(this.#find(id))
  }

  receipt(id: string): Receipt {
    const { receipt, state, problem } = this.#find(id)
    if (receipt) return receipt
    const why = isEnded(state) ? `It failed: ${problem?.detail ?? ''}` : 'It still runs.'
    throw new ApiError({ code: 'API_TASK_NOT_ENDED', message: `The task ${id} has no receipt. ${why}` })
  }

  step(id: string, step: TaskStep): Task {
    const task = this.#find(id)
    const next = nextTaskState(task.state, step)
    if (next === 'ended') {
      const message = `The task ${id} has ended (${task.state}). Its receipt tells what it did.`
      throw new ApiError({ code: 'API_TASK_ENDED', message })
    }
    task.state = next
    if (task.redrive) steer(task.redrive, next)
    return describe(task)
  }

  /** Resolves when the task has ended and that is written down. */
  async whenEnded(id: string): Promise<void> {
    await this.#find(id).ended
  }

  /** Cancels what runs and waits for the receipts. */
  async close(): Promise<void> {
    const open = [...this.#tasks.values()].filter(({ state }) => !isEnded(state))
    for (const { id } of open) this.step(id, 'cancel')
    await Promise.all(open.map(({ ended }) => ended))
  }

  async #work(
    task: OpenTask,
    onEnd: (task: Task, receipt: Receipt | undefined) => Promise<void>,
  ): Promise<void> {
    let state: TaskState
    try {
      task.receipt = await this.#turns.take(task.queue, () => {
        task.redrive = task.run()
        steer(task.redrive, task.state) // it may have been paused or cancelled while it waited
        return task.redrive.receipt
      })
      state = endedState(task.receipt.outcome)
    } catch (error) {
      task.problem = problemOf(error)
      state = 'failed'
    }
    task.endedAt = new Date().toISOString()
    await onEnd({ ...describe(task), state }, task.receipt)
    task.state = state
  }

  #find(id: string): OpenTask {
    const task = this.#tasks.get(id)
    if (task) return task
    throw new ApiError({
      code: 'API_NOT_FOUND',
      message: `There is no task ${id}. GET /api/v1/tasks lists them.`,
    })
  }

  #forgetOld(): void {
    for (const { id, state } of this.#tasks.values()) {
      if (this.#tasks.size <= mostTasks) return
      if (isEnded(state)) this.#tasks.delete(id)
    }
  }
}

function steer(redrive: Redrive, state: TaskState): void {
  if (state === 'paused') redrive.pause()
  if (state === 'running') redrive.resume()
  if (state === 'cancelling') redrive.cancel()
}

function describe(task: OpenTask): Task {
  const { id, state, queue, by, reason, startedAt, endedAt, receipt, problem, redrive } = task
  const { present, moved, failed, kept } = receipt ??
    redrive?.progress ?? { present: 0, moved: 0, failed: 0, kept: 0 }
  return {
    ...{ id, kind: 'redrive', state, queue, by, startedAt },
    reason: reason ?? null,
    endedAt: endedAt ?? null,
    progress: { present, moved, failed, kept },
    problem: problem ?? null,
  }
}
