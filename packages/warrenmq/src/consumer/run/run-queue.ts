import { createFifo, type Fifo } from '../../fifo.ts'

/** Items that wait to be run, in order; of one key at most one is out at a time. */
export interface RunQueue<Item> {
  size(): number
  push(item: Item): void
  /** The next one whose key is free. Give its key back with `done`. */
  take(): Item | undefined
  done(item: Item): void
  /** It is to be taken once more, after others that wait, and before all of its key, which stays taken until then. */
  putBack(item: Item): void
  /** It is to be taken next after all; its key stays taken. */
  putFirst(item: Item): void
  /** Takes out all that wait and that the test holds for, in their order. */
  removeWaiting(isRemoved: (item: Item) => boolean): Item[]
}

/** An item whose key is undefined is bound to no other. */
export function createRunQueue<Item>(keyOf: (item: Item) => unknown): RunQueue<Item> {
  let ready: Fifo<Item> = createFifo()
  /** Of each key that is out or ready: those that come after it. */
  const lanes = new Map<unknown, Item[]>()
  let behind = 0

  function push(item: Item): void {
    const key = keyOf(item)
    const lane = key === undefined ? undefined : lanes.get(key)
    if (lane) {
      lane.push(item)
      behind += 1
      return
    }
    if (key !== undefined) lanes.set(key, [])
    ready.push(item)
  }

  function done(item: Item): void {
    const key = keyOf(item)
    if (key === undefined) return
    const next = lanes.get(key)?.shift()
    if (next === undefined) {
      lanes.delete(key)
      return
    }
    behind -= 1
    ready.push(next)
  }

  return {
    size() {
      return ready.size() + behind
    },
    push,
    take: () => ready.shift(),
    done,
    putBack: (item) => ready.push(item),
    putFirst: (item) => ready.unshift(item),
    removeWaiting: (isRemoved) => {
      const removed: Item[] = []
      const kept: Item[] = []
      for (const lane of lanes.values()) {
        const gone = lane.filter(isRemoved)
        removed.push(...gone)
        behind -= gone.length
        lane.splice(0, lane.length, ...lane.filter((item) => !isRemoved(item)))
      }
      const heads: Item[] = []
      for (let item = ready.shift(); item !== undefined; item = ready.shift()) {
        if (isRemoved(item)) heads.push(item)
        else kept.push(item)
      }
      ready = createFifo()
      for (const item of kept) ready.push(item)
      // The place of a removed head goes to the one behind it.
      for (const item of heads) done(item)
      return [...heads, ...removed]
    },
  }
}
