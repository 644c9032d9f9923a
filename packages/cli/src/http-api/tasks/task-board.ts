import { randomUUID } from 'node:crypto'
import type { Events } from 'warrenmq'
import {
  ApiError,
  createEvents,
  createPublisher,
  type EventSource,
  type Publisher,
  type Session,
  type SessionPair,
} from 'warrenmq/operations'
import { taskStream } from '../../own-streams.ts'
import { followRecords } from '../records/follow-records.ts'
import { declareStream } from '../records/follow-stream.ts'
import { publishSealed } from '../records/publish-sealed.ts'
import { createRecordSeals, type RecordSeals } from '../records/record-seals.ts'
import type { ServerKeys } from '../records/server-keys.ts'
import type { Strays } from '../records/strays.ts'
import { readTaskRecord } from './read-task-record.ts'
import { replaces, type SharedTask, type TaskRecord } from './shared-task.ts'
import { isEnded } from './task-state.ts'

/** Each record holds all of a task, so what is cut off at the beginning is missed by nobody. */
const limits = {
  'x-max-age': '30D',
  'x-max-length-bytes': 32_000_000,
  'x-stream-max-segment-size-bytes': 4_000_000,
}

/** The longest list; older tasks that have ended are left out and stay in the audit log. */
const mostTasks = 1_000
/** Of those that anybody may have written, so that they cannot push out the others. */
const mostUnsigned = 100

export interface BoardEvents {
  /** The task is not as it was known before. */
  changed: SharedTask
  asked: Extract<TaskRecord, { kind: 'step' }>
}

/** What all servers know of all tasks. The broker keeps it; nothing else has to be installed. */
export class TaskBoard {
  /** Names this server for as long as it runs. */
  readonly server: string = randomUUID()
  readonly events: Events<BoardEvents>
  readonly #emit: EventSource<BoardEvents> = createEvents<BoardEvents>()
  readonly #tasks = new Map<string, SharedTask>()
  readonly #publisher: Publisher
  readonly #seals: RecordSeals
  #follower: { readonly close: () => Promise<void> } | undefined

  /** Resolves when everything that was written before is known here. */
  static async open(
    sessions: SessionPair & {
      readonly keys: ServerKeys
      readonly strays: Pick<Strays, 'found'>
    },
  ): Promise<TaskBoard> {
    const { consuming, publishing, keys, strays } = sessions
    await declareStream(consuming, taskStream, limits)
    const { vhost } = consuming
    const board = new TaskBoard(publishing, createRecordSeals(keys, { vhost, stream: taskStream }))
    const caughtUp = board.#follow(consuming, strays)
    await board.#publish({ kind: 'hello', server: board.server })
    await caughtUp
    return board
  }

  private constructor(publishing: Session, seals: RecordSeals) {
    this.events = this.#emit
    this.#seals = seals
    this.#publisher = createPublisher(publishing, { deadlineMs: 10_000, resend: true })
  }

  get(id: string): SharedTask | undefined {
    return this.#tasks.get(id)
  }

  /** The newest first. */
  list(): readonly SharedTask[] {
    return [...this.#tasks.values()].toSorted((left, right) =>
      left.task.startedAt < right.task.startedAt ? 1 : -1,
    )
  }

  /** Tells all servers. Resolves when the broker has it. */
  async write(shared: SharedTask): Promise<void> {
    await this.#publish({ kind: 'task', shared })
  }

  /** Asks the server that works on a task to do something. */
  async ask(request: Omit<BoardEvents['asked'], 'kind'>): Promise<void> {
    await this.#publish({ kind: 'step', ...request })
  }

  /** Resolves with the task as soon as it is as asked for; undefined when that has not happened in time. */
  until(
    id: string,
    isSo: (shared: SharedTask) => boolean,
    timeoutMs: number = Number.POSITIVE_INFINITY,
  ): Promise<SharedTask | undefined> {
    const known = this.#tasks.get(id)
    if (known && isSo(known)) return Promise.resolve(known)
    return new Promise((resolve) => {
      const done = (shared: SharedTask | undefined): void => {
        clearTimeout(timer)
        stop()
        resolve(shared)
      }
      const timer = Number.isFinite(timeoutMs) ? setTimeout(() => done(undefined), timeoutMs) : undefined
      const stop = this.#emit.on('changed', (shared) => {
        if (shared.task.id === id && isSo(shared)) done(shared)
      })
    })
  }

  async close(): Promise<void> {
    await Promise.all([this.#follower?.close(), this.#publisher.close()])
  }

  #follow(session: Session, strays: Pick<Strays, 'found'>): Promise<void> {
    return new Promise((resolve) => {
      this.#follower = followRecords({
        session,
        stream: taskStream,
        seals: this.#seals,
        strays,
        read: readTaskRecord,
        onRecord: (record, isSigned) => {
          if (record.kind === 'task') this.#take(withSigned(record.shared, isSigned))
          if (!isSigned) return
          if (record.kind === 'step') this.#emit.emit('asked', record)
          if (record.kind === 'hello' && record.server === this.server) resolve()
        },
      })
    })
  }

  #take(shared: SharedTask): void {
    const { id } = shared.task
    if (!replaces(shared, this.#tasks.get(id))) return
    this.#tasks.set(id, shared)
    if (shared.task.isSigned) this.#forgetOld()
    else this.#forgetUnsigned()
    this.#emit.emit('changed', shared)
  }

  #forgetUnsigned(): void {
    const unsigned = [...this.#tasks.values()].filter(({ task }) => !task.isSigned)
    for (const { task } of unsigned.slice(0, -mostUnsigned)) this.#tasks.delete(task.id)
  }

  #forgetOld(): void {
    for (const { task } of this.#tasks.values()) {
      if (this.#tasks.size <= mostTasks) return
      if (isEnded(task.state)) this.#tasks.delete(task.id)
    }
  }

  async #publish(record: TaskRecord): Promise<void> {
    const { kind } = await publishSealed(this.#publisher, this.#seals, {
      stream: taskStream,
      type: record.kind,
      record,
    })
    if (kind === 'confirmed') return
    throw new ApiError({
      code: 'TASKS_UNAVAILABLE',
      message: `The stream ${taskStream} did not accept the record of a task. Check that it can be written, and try again.`,
    })
  }
}

/** Whatever the record says of itself. */
function withSigned(shared: SharedTask, isSigned: boolean): SharedTask {
  return { ...shared, task: { ...shared.task, isSigned } }
}
