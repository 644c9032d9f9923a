import type { Clock } from '../../clock.ts'
import { createBinaryHeap } from './collections/binary-heap.ts'

/** A clock that stands still until it is told to move. */
export interface VirtualClock extends Clock {
  /** When the next task is due, or undefined when none is planned. */
  nextDueAt(): number | undefined
  /**
   * Goes to the next instant at which something is due, but not beyond `untilMs`, and runs what is due then,
   * in the order of planning. Gives false when nothing more is due, with the clock at `untilMs`.
   */
  step(untilMs: number): boolean
}

interface PlannedTask {
  readonly dueAtMs: number
  readonly order: number
  /** Undefined once it has run or was called off. */
  task: (() => void) | undefined
}

export function createVirtualClock(startMs: number): VirtualClock {
  const planned = createBinaryHeap<PlannedTask>((a, b) =>
    a.dueAtMs === b.dueAtMs ? a.order < b.order : a.dueAtMs < b.dueAtMs,
  )
  let nowMs = startMs
  let order = 0

  function nextDueAt(): number | undefined {
    while (planned.peek() && !planned.peek()?.task) planned.take()
    return planned.peek()?.dueAtMs
  }

  function runDueNow(): void {
    // A task may plan another for this same instant; it runs in this step too.
    for (let due = nextDueAt(); due !== undefined && due <= nowMs; due = nextDueAt()) {
      const { task } = planned.take()!
      task?.()
    }
  }

  return {
    now: () => nowMs,
    schedule: (delayMs, task) => {
      const plannedTask: PlannedTask = { dueAtMs: nowMs + Math.max(0, delayMs), order, task }
      order += 1
      planned.add(plannedTask)
      return () => {
        plannedTask.task = undefined
      }
    },
    nextDueAt,
    step: (untilMs) => {
      const due = nextDueAt()
      if (due === undefined || due > untilMs) {
        nowMs = Math.max(nowMs, untilMs)
        return false
      }
      nowMs = Math.max(nowMs, due)
      runDueNow()
      return true
    },
  }
}
