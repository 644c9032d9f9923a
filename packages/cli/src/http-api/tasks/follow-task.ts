import type { Clock } from 'warrenmq/operations'
import type { Task } from '../contract/contract.ts'
import { digestText } from '../events/digest-list.ts'
import { renderEvent } from '../events/render-event.ts'
import { type EventSink, writeEvents } from '../events/write-events.ts'
import { isEnded } from './task-state.ts'

/** A task as a server-sent event. */
export interface TaskEvent {
  /** Made of the task as it is, so that every server gives the same state the same id. */
  readonly id: string
  readonly text: string
  /** The task has ended. */
  readonly isLast: boolean
}

export function taskEvent(task: Task): TaskEvent {
  const data = JSON.stringify(task)
  const id = digestText(data)
  return { id, text: renderEvent({ id, name: 'task', data }), isLast: isEnded(task.state) }
}

export interface TaskFollower {
  readonly out: EventSink
  /** What is to be told of the task as it is; undefined where it is not known any more. */
  readonly read: () => TaskEvent | undefined
  /** The event that they had last, of this server or another. */
  readonly lastId?: string | undefined
  /** Nothing more will come: this server ends, or who reads may not any more. */
  readonly isOver: () => boolean
  readonly clock?: Clock
}

/** Writes server-sent events: the task whenever it has changed, and a last time when it has ended. */
export function followTask({ out, read, lastId, isOver, clock }: TaskFollower): void {
  let sentId = lastId
  writeEvents({
    out,
    // Every event holds all of the task, so those that were missed are in the next one.
    next: () => {
      const event = read()
      if (!event || event.id === sentId) return undefined
      sentId = event.id
      return event.text
    },
    isOver: () => {
      const event = read()
      return !event || event.isLast || isOver()
    },
    ...(clock && { clock }),
  })
}
