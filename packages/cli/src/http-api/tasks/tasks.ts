import { hostname } from 'node:os'
import type { Receipt } from 'warrenmq'
import { ApiError, depthOf, RecoveryError, type RedriveOptions } from 'warrenmq/operations'
import type { Task } from '../contract/contract.ts'
import type { QueueTurns } from '../guards/queue-turns.ts'
import type { ServerKeys } from '../records/server-keys.ts'
import type { Strays } from '../records/strays.ts'
import type { ServerBroker } from '../server-broker.ts'
import { tick } from '../show/rendered-answers.ts'
import { announceServer, type Presence } from './presence.ts'
import { type AskedTask, limitOf, type SharedTask } from './shared-task.ts'
import { TaskBoard } from './task-board.ts'
import { type OnTaskEnd, TaskRun } from './task-run.ts'
import { isEnded, nextTaskState, type TaskStep } from './task-state.ts'
import { watchServers } from './watch-servers.ts'

export interface TasksOptions {
  readonly broker: Omit<ServerBroker, 'topology'>
  readonly turns: QueueTurns
  readonly lookTimeoutMs: number
  readonly keys: ServerKeys
  readonly strays: Pick<Strays, 'found'>
  /** Another server is gone, and this is what it left. */
  readonly onInterrupted: (task: Task) => void
  /** Something about tasks could not be told to the other servers, or asked about them. */
  readonly onError: (error: unknown) => void
}

/** A re-drive to start, with what others have to know of it when this server ends. */
export interface NewTask extends RedriveOptions {
  readonly id: string
  readonly asked: AskedTask
}

/** How often lists and streams tell how far a task of this server is. */
export const progressEveryMs = 500

/** How long another server may take to do what it is asked for. */
const stepTimeoutMs = 10_000

/** The re-drives of all servers: those of this one run here, the others are known from the board. */
export class Tasks {
  readonly board: TaskBoard
  readonly #options: TasksOptions
  readonly #runs = new Map<string, TaskRun>()
  /** Queues of tasks that nobody but us knows of yet. */
  readonly #beginning = new Set<string>()
  readonly #servers: { readonly close: () => void }
  readonly #presence: Presence
  /** Runs whose first record was not confirmed: the broker may have it, and nobody works on them. */
  readonly #abandoned = new Set<string>()
  /** Counts what has become of tasks, but for the progress of those that run here. */
  #changes = 0
  #isClosed = false

  static async open(options: TasksOptions): Promise<Tasks> {
    const { broker, keys, strays } = options
    const { consuming, publishing } = broker
    const board = await TaskBoard.open({ consuming, publishing, keys, strays })
    return new Tasks(options, board, await announceServer(consuming, board.server))
  }

  private constructor(options: TasksOptions, board: TaskBoard, presence: Presence) {
    this.#options = options
    this.board = board
    this.#presence = presence
    const { broker, turns, lookTimeoutMs, onInterrupted, onError } = options
    const isAbandoned = (shared: SharedTask): boolean => this.#abandoned.has(nameRun(shared))
    const watch = { board, broker, turns, lookTimeoutMs, isAbandoned, onInterrupted, onError }
    this.#servers = watchServers(watch)
    board.events.on('changed', (shared) => {
      this.#changes += 1
      this.#runs.get(shared.task.id)?.heard(shared)
    })
    board.events.on('asked', ({ id, run, step }) => {
      const mine = this.#runs.get(id)
      if (mine?.number === run) mine.step(step)
    })
  }

  /** Starts as soon as nobody of this server looks at the queue. A second one on a queue is refused. */
  start(options: NewTask, onEnd: OnTaskEnd): Promise<Task> {
    return this.#begin(options.queue, () => this.#start(options, onEnd))
  }

  async #start(options: NewTask, onEnd: OnTaskEnd): Promise<Task> {
    const { id, queue, by, reason, asked } = options
    const present = await depthOf(options.consuming, queue)
    const task: Task = {
      id,
      kind: 'redrive',
      state: 'running',
      queue,
      by,
      reason: reason ?? null,
      host: hostname(),
      startedAt: new Date().toISOString(),
      endedAt: null,
      movedBefore: 0,
      problem: null,
      isSigned: true,
      limit: limitOf(asked),
      progress: { present, moved: 0, failed: 0, kept: 0 },
    }
    return this.#run({ ...this.#itself(), task, run: 1, asked, receipt: null }, options, onEnd)
  }

  /** Goes on with a task that was interrupted. Of several servers that try at once, one gets it. */
  resume(options: NewTask, onEnd: OnTaskEnd): Promise<Task> {
    return this.#begin(options.queue, () => this.#resume(options, onEnd))
  }

  async #resume(options: NewTask, onEnd: OnTaskEnd): Promise<Task> {
    const { id, queue, limit } = options
    const known = this.#find(id)
    refuseUnproved(known.task)
    const { progress } = known.task
    const movedBefore = progress.moved
    const present = movedBefore + (await depthOf(options.consuming, queue))
    const task: Task = {
      ...known.task,
      state: 'running',
      endedAt: null,
      host: hostname(),
      movedBefore,
      problem: null,
      progress: { present, moved: movedBefore, failed: 0, kept: 0 },
    }
    const shared: SharedTask = { ...known, ...this.#itself(), task, run: known.run + 1, receipt: null }
    const rest = limit === undefined ? {} : { limit: Math.max(0, limit - movedBefore) }
    return this.#run(shared, { ...options, ...rest }, onEnd)
  }

  /**
   * Throws where a task works on the queue: its messages are in no state to be looked at. One that anybody may have
   * invented is no reason; should a server work there all the same, the lock of the queue tells.
   */
  refuseIfBusy(queue: string): void {
    const busy = this.list().find((task) => task.queue === queue && task.isSigned && !isEnded(task.state))
    if (busy) throw lockedBy(busy)
    if (this.#beginning.has(queue))
      throw locked(`A re-drive of the queue "${queue}" is starting. Wait until it is done.`)
  }

  /** Is another one as soon as `list` may be; progress is told every now and then. */
  get edition(): string {
    return this.#runs.size === 0 ? String(this.#changes) : `${this.#changes} ${tick(progressEveryMs)}`
  }

  /** The newest first. */
  list(): readonly Task[] {
    return this.board.list().map((shared) => (this.#runOf(shared)?.describe() ?? shared).task)
  }

  get(id: string): Task {
    return this.#find(id).task
  }

  /** Undefined where it is not known, or not any more. */
  find(id: string): Task | undefined {
    return this.board.get(id) && this.get(id)
  }

  /** Nothing more is heard here of any task. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  asked(id: string): AskedTask {
    return this.#find(id).asked
  }

  receipt(id: string): Receipt {
    const { receipt, task } = this.#find(id)
    if (receipt) return receipt
    const ofInterrupted = 'Its server ended before it did. Resume it.'
    const why = !isEnded(task.state)
      ? 'It is still running.'
      : (task.problem?.detail ?? (task.state === 'interrupted' ? ofInterrupted : 'It failed.'))
    throw new ApiError({ code: 'API_TASK_NOT_ENDED', message: `The task ${id} has no receipt. ${why}` })
  }

  /** Pauses, resumes or cancels, wherever the task runs. */
  async step(id: string, step: TaskStep): Promise<Task> {
    const shared = this.#find(id)
    const { task, run } = shared
    const wanted = nextTaskState(task.state, step)
    if (wanted === 'ended' || task.state === 'interrupted') {
      const ofEnded = task.state === 'interrupted' ? 'It can be resumed.' : 'Its receipt says what it did.'
      const what = task.problem?.detail ?? ofEnded
      const message = `The task ${id} has ended (${task.state}). ${what}`
      throw new ApiError({ code: 'API_TASK_ENDED', message })
    }
    const mine = this.#runOf(shared)
    if (mine) {
      this.#changes += 1
      return mine.step(step).task
    }
    await this.board.ask({ id, run, step })
    const isDone = (next: SharedTask): boolean => next.task.state === wanted || isEnded(next.task.state)
    const next = await this.board.until(id, isDone, stepTimeoutMs)
    if (next) return next.task
    const whose = task.isSigned ? '' : ' That task was not written by a server with the same key.'
    const message = `The server on ${task.host}, which is working on the task ${id}, did not answer.${whose} Try again.`
    throw new ApiError({ code: 'API_BUSY', message, retryAfterSeconds: 5 })
  }

  /** Resolves when the task has ended and that is written down. */
  async whenEnded(id: string): Promise<void> {
    const mine = this.#runOf(this.#find(id))
    await (mine?.ended ?? this.board.until(id, ({ task }) => isEnded(task.state)))
  }

  /** Ends what runs here, with receipts. Other servers may go on with it. */
  async close(): Promise<void> {
    this.#servers.close()
    await Promise.all([...this.#runs.values()].map((run) => run.interrupt()))
    await Promise.all([this.board.close(), this.#presence.close()])
    this.#isClosed = true
  }

  async #run(shared: SharedTask, options: NewTask, onEnd: OnTaskEnd): Promise<Task> {
    const { id } = shared.task
    try {
      await this.board.write(shared)
    } catch (error) {
      this.#abandoned.add(nameRun(shared))
      throw error
    }
    const known = await this.board.until(id, ({ run, task }) => task.isSigned && run >= shared.run)
    if (known?.server !== this.board.server || known.run !== shared.run) throw lockedBy(known!.task)
    const run = new TaskRun({
      shared,
      options,
      board: this.board,
      turns: this.#options.turns,
      onEnd,
      presence: this.#presence,
      onError: this.#options.onError,
    })
    this.#runs.set(id, run)
    void run.ended.then(() => {
      this.#changes += 1
      // Where the board could not be told, we are the only ones who know.
      const onBoard = this.board.get(id) // it may have been forgotten as one that ended long ago
      const isKnown = !onBoard || isEnded(onBoard.task.state) || onBoard.run > run.number
      if (isKnown && this.#runs.get(id) === run) this.#runs.delete(id)
    })
    return run.describe().task
  }

  #itself(): Pick<SharedTask, 'server' | 'presence'> {
    return { server: this.board.server, presence: this.#presence.queue }
  }

  /** The run of this server, unless another one has gone on with the task meanwhile. */
  #runOf({ task, run }: SharedTask): TaskRun | undefined {
    const mine = this.#runs.get(task.id)
    return mine?.number === run ? mine : undefined
  }

  /** One at a time begins on a queue. */
  async #begin(queue: string, begin: () => Promise<Task>): Promise<Task> {
    this.refuseIfBusy(queue)
    this.#beginning.add(queue)
    try {
      return await begin()
    } finally {
      this.#beginning.delete(queue)
    }
  }

  #find(id: string): SharedTask {
    const shared = this.board.get(id)
    if (shared) return this.#runOf(shared)?.describe() ?? shared
    throw new ApiError({
      code: 'API_NOT_FOUND',
      message: `There is no task ${id}. GET /api/v1/tasks lists them.`,
    })
  }
}

/** No other server writes a run with the same name. */
function nameRun({ task, run, server }: SharedTask): string {
  return `${task.id} ${run} ${server}`
}

/** What it says to have been asked for may be anybody's wish, and would be done in the name of who resumes it. */
export function refuseUnproved({ id, isSigned }: Task): void {
  if (isSigned) return
  throw new ApiError({
    code: 'API_TASK_UNPROVED',
    message: `The task ${id} was not written by a server with the same key, so Warren cannot tell who asked for it. Start a new re-drive, and give all servers the same WARREN_SERVER_KEY.`,
  })
}

function lockedBy({ id, by, queue, host }: Task): RecoveryError {
  return locked(
    `The re-drive ${id} by ${by}, on ${host}, is working on the queue "${queue}". Wait until it is done, or cancel it.`,
  )
}

function locked(message: string): RecoveryError {
  return new RecoveryError({ code: 'RECOVERY_LOCKED', message })
}
