import type { Receipt } from 'warrenmq'
import type { RedriveRequest, Task } from '../contract/contract.ts'
import { isEnded, type TaskStep } from './task-state.ts'

/** A task as all servers know it: one record of the stream holds all of it. */
export interface SharedTask {
  readonly task: Task
  /** Counts the servers that took it up, from 1. */
  readonly run: number
  /** The server that works on it, or did last. */
  readonly server: string
  /** The queue by which that server is known to live. */
  readonly presence: string
  readonly asked: AskedTask
  /** Of the last run. */
  readonly receipt: Receipt | null
}

/** What was asked for: as much of it as another server needs to go on, or to find out what became of it. */
export type AskedTask =
  | { readonly kind: 'redrive'; readonly request: RedriveRequest }
  /** Through `/admin/dlq`, back by the retry exchange of the queue. */
  | { readonly kind: 'admin'; readonly limit: number }
  /** One message, by its key. What it was to become is not kept: payloads do not belong into this stream. */
  | { readonly kind: 'edit'; readonly key: string }

/** How many messages it may move; null where nobody said how many. */
export function limitOf(asked: AskedTask): number | null {
  switch (asked.kind) {
    case 'redrive':
      return asked.request.limit ?? null
    case 'admin':
      return asked.limit
    case 'edit':
      return 1
  }
}

/** What is written to the stream of tasks. */
export type TaskRecord =
  | { readonly kind: 'task'; readonly shared: SharedTask }
  /** Asked of the server that works on the task. */
  | { readonly kind: 'step'; readonly id: string; readonly run: number; readonly step: TaskStep }
  /** Tells the server that wrote it that it has read all that was there before. */
  | { readonly kind: 'hello'; readonly server: string }

/**
 * Whether a record replaces what is known. All servers read one stream in one order, so all come to the same:
 * of two that take up a task at once, the first one in the stream has it.
 */
export function replaces(next: SharedTask, known: SharedTask | undefined): boolean {
  if (!known) return true
  // What anybody may have written stands back behind what one of us has.
  if (next.task.isSigned !== known.task.isSigned) return next.task.isSigned
  if (next.run > known.run) return true
  if (next.run < known.run || next.server !== known.server) return false
  // Others may take a server for gone that has just come to its end.
  return next.task.state !== 'interrupted' || !isEnded(known.task.state)
}
