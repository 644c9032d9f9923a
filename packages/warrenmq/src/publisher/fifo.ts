/** A queue that takes from its head in constant time. */
export interface Fifo<Item> {
  readonly size: number
  push(item: Item): void
  /** Puts an item in front of all others. */
  unshift(item: Item): void
  shift(): Item | undefined
  first(): Item | undefined
}

export function createFifo<Item>(): Fifo<Item> {
  let items: Item[] = []
  let head = 0

  function compact(): void {
    // Moving what is left costs as much as what was taken since the last time, so it is free on average.
    if (head < 1024 || head * 2 < items.length) return
    items = items.slice(head)
    head = 0
  }

  return {
    get size() {
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
    shift: () => {
      if (head === items.length) return undefined
      const item = items[head]
      items[head] = undefined as never // so that a settled message can be collected
      head += 1
      compact()
      return item
    },
    first: () => items[head],
  }
}
