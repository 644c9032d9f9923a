/** Items of which the first in order can be taken at any time. */
export interface BinaryHeap<Item> {
  size(): number
  add(item: Item): void
  peek(): Item | undefined
  take(): Item | undefined
  clear(): void
  /** All items in order; the heap stays as it is. */
  toSorted(): readonly Item[]
}

/** `isBefore` must be a strict order without ties, so that two runs take items in the same order. */
export function createBinaryHeap<Item>(isBefore: (a: Item, b: Item) => boolean): BinaryHeap<Item> {
  let items: Item[] = []

  function siftUp(start: number): void {
    const item = items[start]!
    let at = start
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(item, items[parent]!)) break
      items[at] = items[parent]!
      at = parent
    }
    items[at] = item
  }

  function siftDown(): void {
    const item = items[0]!
    let at = 0
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && isBefore(items[child + 1]!, items[child]!)) child += 1
      if (!isBefore(items[child]!, item)) break
      items[at] = items[child]!
      at = child
    }
    items[at] = item
  }

  return {
    size() {
      return items.length
    },
    add: (item) => {
      items.push(item)
      siftUp(items.length - 1)
    },
    peek: () => items[0],
    take: () => {
      const first = items[0]
      const last = items.pop()
      if (items.length > 0) {
        items[0] = last!
        siftDown()
      }
      return first
    },
    clear: () => {
      items = []
    },
    toSorted: () => items.toSorted((a, b) => (isBefore(a, b) ? -1 : 1)),
  }
}
