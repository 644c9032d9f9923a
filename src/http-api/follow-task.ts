import type { Writable } from 'node:stream'
import { type Clock, realClock } from '../clock.ts'
import type { Task } from './contract.ts'
import { isEnded } from './tasks/task-state.ts'
import { progressEveryMs } from './tasks/tasks.ts'

/** A task as a server-sent event. */
export interface TaskEvent {
  readonly text: string
  /** The task has ended. */
  readonly isLast: boolean
}

export function taskEvent(task: Task): TaskEvent {
  return { text: `event: task\ndata: ${JSON.stringify(task)}\n\n`, isLast: isEnded(task.state) }
}

export interface TaskFollower {
  /** Of which only these are used, so that it need not be a socket. */
  readonly out: Pick<
    Writable,
    'write' | 'end' | 'destroy' | 'once' | 'writableEnded' | 'writableNeedDrain' | 'destroyed'
  >
  /** What is to be told of the task as it is; undefined where it is not known any more. */
  readonly read: () => TaskEvent | undefined
  /** Nothing more will come: this server ends, or who reads may not any more. */
  readonly isOver: () => boolean
  readonly clock?: Clock
}

const pingEveryMs = 15_000
/** Whoever reads nothing for so long has gone without a word, or means no good. */
const mostUnreadMs = 30_000

/** Writes server-sent events: the task whenever it has changed, and a last time when it has ended. */
export function followTask({ out, read, isOver, clock = realClock }: TaskFollower): void {
  let sent = ''
  let sentAtMs = clock.now()
  let stop = (): void => {}

  function write(text: string): void {
    out.write(text)
    sentAtMs = clock.now()
  }

  function look(): void {
    const isUnread = clock.now() - sentAtMs >= mostUnreadMs
    // Every event holds all of the task, so nothing has to wait for those who do not read.
    if (out.writableNeedDrain || out.writableEnded) {
      if (isUnread) out.destroy()
      return
    }
    const event = read()
    if (event && event.text !== sent) {
      sent = event.text
      write(sent)
    } else if (clock.now() - sentAtMs >= pingEveryMs) write(': still there\n\n')
    if (!event || event.isLast || isOver()) out.end()
  }

  function lookAgain(): void {
    look()
    if (!out.destroyed) stop = clock.schedule(progressEveryMs, lookAgain)
  }

  out.once('close', () => stop())
  lookAgain()
}
