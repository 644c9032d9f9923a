/** First in, first out, without the cost of moving everything up on each take. */
export interface Fifo<Item> extends Iterable<Item> {
  size(): number
  push(item: Item): void
  /** Puts an item in front of all others. */
  unshift(item: Item): void
  peek(): Item | undefined
  shift(): Item | undefined
  clear(): void
  /** Takes out every item for which `isWanted` is false. */
  keep(isWanted: (item: Item) => boolean): void
}

/** Below this many taken items, giving their room back costs more than it saves. */
const compactAfter = 1024

export function createFifo<Item>(): Fifo<Item> {
  let items: Item[] = []
  let head = 0

  function compact(): void {
    // Moving what is left costs as much as what was taken since the last time, so it is free on average.
    if (head < compactAfter || head * 2 < items.length) return
    items = items.slice(head)
    head = 0
  }

  function* iterate(): Generator<Item> {
    for (let at = head; at < items.length; at += 1) yield items[at]!
  }

  return {
    size() {
      return items.length - head
    },
    push: (item) => {
      items.push(item)
    },
    unshift: (item) => {
      if (head === 0) {
        items.unshift(item)
        return
      }
      head -= 1
      items[head] = item
    },
    peek: () => items[head],
    shift: () => {
      if (head === items.length) return undefined
      const item = items[head]
      items[head] = undefined as never // so that it can be collected before the next compaction
      head += 1
      compact()
      return item
    },
    clear: () => {
      items = []
      head = 0
    },
    keep: (isWanted) => {
      items = items.slice(head).filter(isWanted)
      head = 0
    },
    [Symbol.iterator]: iterate,
  }
}
