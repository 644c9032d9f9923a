/** What can be in a `PlacedSet`: it knows its own place, so that nothing has to search for it. */
export interface Placed {
  /** Kept by the set; −1 outside of one. */
  place: number
}

/** Some items, in no order. One item can be in one set at a time. */
export interface PlacedSet<Item extends Placed> {
  size(): number
  add(item: Item): void
  delete(item: Item): void
  /** All of them at this moment; what is done with them may change the set. */
  list(): Item[]
}

/**
 * Replaces a `Set` when items come and go by the thousand. A `Set` makes a new table again and again, and V8 links
 * each old table to the next: a table that was promoted keeps all that follow alive, with the items in them, until the
 * whole heap is collected.
 */
export function createPlacedSet<Item extends Placed>(): PlacedSet<Item> {
  const items: Item[] = []
  return {
    size() {
      return items.length
    },
    add: (item) => {
      item.place = items.length
      items.push(item)
    },
    delete: (item) => {
      if (item.place === -1) return
      const last = items.pop()!
      if (last !== item) {
        items[item.place] = last
        last.place = item.place
      }
      item.place = -1
    },
    list: () => [...items],
  }
}
