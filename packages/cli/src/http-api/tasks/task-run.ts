import type { Receipt } from 'warrenmq'
import { type Redrive, type RedriveOptions, type RedriveProgress, startRedrive } from 'warrenmq/operations'
import type { Problem, Task, TaskState } from '../contract/contract.ts'
import type { QueueTurns } from '../guards/queue-turns.ts'
import { problemOf } from '../problems.ts'
import { editInterrupted } from './edit-interrupted.ts'
import type { Presence } from './presence.ts'
import type { SharedTask } from './shared-task.ts'
import type { TaskBoard } from './task-board.ts'
import { endedState, isEnded, nextTaskState, type TaskStep } from './task-state.ts'

/** Must not throw. */
export type OnTaskEnd = (task: Task, receipt: Receipt | undefined) => Promise<void>

interface RunOptions {
  /** As it was written to the board when it began. */
  readonly shared: SharedTask
  readonly options: RedriveOptions
  readonly board: TaskBoard
  /** By which others know that this server lives. */
  readonly presence: Presence
  readonly turns: QueueTurns
  readonly onEnd: OnTaskEnd
  readonly onError: (error: unknown) => void
}

/** How often others are told how far it is. */
const tellEveryMs = 500
/** How often the end of a task is written down before a server that closes gives that up. */
const mostAttempts = 6
/** A broker that refuses does so immediately, so the pauses between attempts grow. */
const firstPauseMs = 500
const longestPauseMs = 10_000
const readBackMs = 10_000

/** A task while this server works on it, from its first message to its receipt. */
export class TaskRun {
  /** Resolves when the task has ended and that is written down. */
  readonly ended: Promise<void>
  readonly #begun: SharedTask
  readonly #of: RunOptions
  #redrive: Redrive | undefined
  #state: TaskState = 'running'
  #isInterrupted = false
  /** Aborted when the server closes: then its end is not waited for as long. */
  readonly #closing = new AbortController()
  /** Its end is being written down, and nothing after it. */
  #isOver = false
  #endedAt: string | null = null
  #receipt: Receipt | undefined
  #problem: Problem | undefined
  #told = ''
  #telling: Promise<void> | undefined

  constructor(options: RunOptions) {
    this.#of = options
    this.#begun = options.shared
    this.ended = Promise.resolve().then(() => this.#work())
  }

  /** Which server in turn this one is. */
  get number(): number {
    return this.#begun.run
  }

  describe(state: TaskState = this.#state): SharedTask {
    const { task } = this.#begun
    const { movedBefore } = task
    const counts = this.#receipt ?? countsOf(this.#redrive)
    const progress =
      counts === undefined
        ? task.progress
        : {
            present: movedBefore + counts.present,
            moved: movedBefore + counts.moved,
            failed: counts.failed,
            kept: counts.kept,
          }
    return {
      ...this.#begun,
      presence: this.#of.presence.queue,
      task: { ...task, state, progress, endedAt: this.#endedAt, problem: this.#problem ?? null },
      receipt: this.#receipt ?? null,
    }
  }

  /** Does what it is asked for; too late where it has ended meanwhile. */
  step(step: TaskStep): SharedTask {
    const next = nextTaskState(this.#state, step)
    if (next !== 'ended') {
      this.#state = next
      if (this.#redrive) steer(this.#redrive, next)
      this.#tell()
    }
    return this.describe()
  }

  /** Ends because the server does, so that another one may go on. */
  async interrupt(): Promise<void> {
    this.#closing.abort()
    this.#isInterrupted = this.#state !== 'cancelling'
    this.step('cancel')
    await this.ended
  }

  /** What the board says of this very task. */
  heard({ run, task }: SharedTask): void {
    if (this.#isOver) return
    // Somebody took us for gone and has gone on with it: it is theirs, and what is under way is finished here.
    if (run > this.number) this.step('cancel')
    else if (task.state === 'interrupted') this.#tell({ isForced: true })
  }

  async #work(): Promise<void> {
    const timer = setInterval(() => this.#tell(), tellEveryMs)
    let state: TaskState
    try {
      const receipt = await this.#of.turns.take(this.#begun.task.queue, () => {
        this.#redrive = startRedrive(this.#of.options)
        steer(this.#redrive, this.#state) // it may have been paused or cancelled while it waited
        return this.#redrive.receipt
      })
      this.#receipt = receipt
      state = this.#judge(this.#receipt)
    } catch (error) {
      this.#problem = problemOf(error)
      state = 'failed'
    } finally {
      clearInterval(timer)
    }
    this.#endedAt = new Date().toISOString()
    this.#isOver = true
    await this.#of.onEnd(this.describe(state).task, this.#receipt)
    await this.#tellEnd(state)
    this.#state = state
  }

  #judge({ outcome, moved }: Receipt): TaskState {
    const { asked, task } = this.#begun
    // One message, so it was done in time or not at all, whatever became of the others.
    if (asked.kind === 'edit' && moved > 0) return 'done'
    if (outcome !== 'cancelled' || !this.#isInterrupted) return endedState(outcome)
    if (asked.kind !== 'edit') return 'interrupted'
    this.#problem = problemOf(editInterrupted(task.queue, 'there'))
    return 'interrupted'
  }

  async #tellEnd(state: TaskState): Promise<void> {
    await this.#telling // so that it is the last
    const shared = this.describe(state)
    const { board, onError } = this.#of
    const { signal } = this.#closing
    for (let attempt = 1; attempt <= mostAttempts || !signal.aborted; attempt += 1) {
      try {
        await board.write(shared)
        const isKnown = ({ run, task }: SharedTask): boolean => run > this.number || isEnded(task.state)
        await board.until(shared.task.id, isKnown, readBackMs)
        return
      } catch (error) {
        onError(error)
      }
      await pause(Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1)), signal)
    }
  }

  /** Tells others how far it is, if there is anything new. One record at a time is on its way. */
  #tell({ isForced = false } = {}): void {
    const shared = this.describe()
    const text = JSON.stringify(shared)
    if (this.#isOver || this.#telling || (text === this.#told && !isForced)) return
    this.#told = text
    this.#telling = this.#of.board
      .write(shared)
      .catch((error: unknown) => {
        this.#told = '' // it is told again, although nothing else changes
        this.#of.onError(error)
      })
      .finally(() => {
        this.#telling = undefined
        if (this.#state !== shared.task.state) this.#tell()
      })
  }
}

/** Ends early when the signal is aborted. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
  })
}

/** Until the queue is counted the run has nothing to tell. */
function countsOf(redrive: Redrive | undefined): RedriveProgress | undefined {
  return redrive && redrive.progress.present > 0 ? redrive.progress : undefined
}

function steer(redrive: Redrive, state: TaskState): void {
  if (state === 'paused') redrive.pause()
  if (state === 'running') redrive.resume()
  if (state === 'cancelling') redrive.cancel()
}
