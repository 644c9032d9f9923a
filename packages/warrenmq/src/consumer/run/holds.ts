import type { Clock } from '../../clock.ts'

/** Items that are kept until a time of their own. */
export interface Holds<Item> {
  size(): number
  add(item: Item, untilMs: number, then: () => void): void
  /** Takes out all that the test holds for; what was to be done with them is not done. */
  removeAll(isRemoved: (item: Item) => boolean): Item[]
}

export function createHolds<Item>(clock: Clock): Holds<Item> {
  const held = new Map<Item, () => void>()
  return {
    size() {
      return held.size
    },
    add: (item, untilMs, then) => {
      const callOff = clock.schedule(Math.max(0, untilMs - clock.now()), () => {
        held.delete(item)
        then()
      })
      held.set(item, callOff)
    },
    removeAll: (isRemoved) => {
      const removed = [...held.keys()].filter(isRemoved)
      for (const item of removed) {
        held.get(item)?.()
        held.delete(item)
      }
      return removed
    },
  }
}
