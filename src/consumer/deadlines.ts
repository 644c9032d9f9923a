import type { Clock } from '../clock.ts'

/** One time-out for many: what is added first is due first, so one timer does for all. */
export interface Deadlines<Item> {
  add(item: Item): void
  remove(item: Item): void
  /** Forgets all and leaves no timer behind. */
  stop(): void
}

export function createDeadlines<Item>({
  clock,
  afterMs,
  onDue,
}: {
  readonly clock: Clock
  readonly afterMs: number
  readonly onDue: (item: Item) => void
}): Deadlines<Item> {
  const dueAt = new Map<Item, number>()
  let callOff: (() => void) | undefined

  function watch(delayMs: number): void {
    callOff = clock.schedule(delayMs, check)
  }

  function check(): void {
    callOff = undefined
    const nowMs = clock.now()
    for (const [item, dueMs] of dueAt) {
      if (dueMs > nowMs) {
        watch(dueMs - nowMs)
        return
      }
      dueAt.delete(item)
      onDue(item)
    }
  }

  return {
    add: (item) => {
      dueAt.set(item, clock.now() + afterMs)
      if (!callOff) watch(afterMs)
    },
    remove: (item) => {
      dueAt.delete(item)
    },
    stop: () => {
      dueAt.clear()
      callOff?.()
      callOff = undefined
    },
  }
}
