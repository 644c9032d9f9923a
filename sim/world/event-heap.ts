import type { SimProcess } from './sim-process.ts'

/** Something that happens at a moment, in a process. */
export interface SimEvent {
  readonly process: SimProcess
  /** What it is, for the trace. */
  readonly kind: string
  dueMs: number
  /** Of two that are due at one moment the first to be planned comes first. */
  readonly number: number
  run: (() => void) | undefined
}

/** The events to come, the next one first. */
export class EventHeap {
  readonly #events: SimEvent[] = []

  get size(): number {
    return this.#events.length
  }

  get first(): SimEvent | undefined {
    return this.#events[0]
  }

  push(event: SimEvent): void {
    const events = this.#events
    let at = events.length
    events.push(event)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(event, events[parent]!)) break
      events[at] = events[parent]!
      at = parent
    }
    events[at] = event
  }

  pop(): SimEvent | undefined {
    const events = this.#events
    const first = events[0]
    const last = events.pop()
    if (first === undefined || last === undefined || events.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= events.length) break
      if (child + 1 < events.length && isBefore(events[child + 1]!, events[child]!)) child += 1
      if (!isBefore(events[child]!, last)) break
      events[at] = events[child]!
      at = child
    }
    events[at] = last
    return first
  }

  /** In no order. */
  list(): readonly SimEvent[] {
    return this.#events
  }
}

function isBefore(one: SimEvent, other: SimEvent): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.number < other.number)
}
