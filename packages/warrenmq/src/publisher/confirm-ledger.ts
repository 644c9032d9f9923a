/**
 * What was published on one channel and not yet answered, by the number the broker will answer with: a
 * ring, because numbers are dense and answers come roughly in order.
 */
export interface ConfirmLedger<Entry> {
  /** Room for one more? A single unanswered publish far behind the others closes the ring, too. */
  hasRoom(): boolean
  size(): number
  /** Files the entry under the next number. */
  add(entry: Entry): number
  /** Takes out what an answer speaks of: one entry, or all up to its number. */
  take(tag: number, multiple: boolean, visit: (entry: Entry) => void): void
  /** The oldest entry, if any. */
  oldest(): Entry | undefined
  /** Takes out the oldest entry; an answer that comes later finds nothing. */
  takeOldest(): void
  /** In the order of publishing, until `visit` says that it has seen enough. */
  some(visit: (entry: Entry) => boolean): boolean
}

export function createConfirmLedger<Entry>(capacity: number): ConfirmLedger<Entry> {
  const ring = new Array<Entry | undefined>(capacity).fill(undefined)
  let first = 1
  let next = 1
  let size = 0

  function takeOne(tag: number, visit: (entry: Entry) => void): void {
    const entry = ring[tag % capacity]
    if (entry === undefined) return
    ring[tag % capacity] = undefined
    size -= 1
    visit(entry)
  }

  function skipEmpty(): void {
    while (first < next && ring[first % capacity] === undefined) first += 1
  }

  return {
    hasRoom() {
      return next - first < capacity
    },
    size() {
      return size
    },
    add: (entry) => {
      const tag = next
      ring[tag % capacity] = entry
      next += 1
      size += 1
      return tag
    },
    take: (tag, multiple, visit) => {
      if (tag < first || tag >= next) return // answered before, or after its deadline
      for (let each = multiple ? first : tag; each <= tag; each += 1) takeOne(each, visit)
      skipEmpty()
    },
    oldest: () => ring[first % capacity],
    takeOldest: () => {
      takeOne(first, () => {})
      skipEmpty()
    },
    some: (visit) => {
      for (let tag = first; tag < next; tag += 1) {
        const entry = ring[tag % capacity]
        if (entry !== undefined && visit(entry)) return true
      }
      return false
    },
  }
}
