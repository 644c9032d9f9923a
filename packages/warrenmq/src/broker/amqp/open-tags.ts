/** Numbers that are given out upwards and come back in about that order: which of them are still out. */
export interface OpenTags {
  /** Each tag is higher than all before it. */
  add(tag: number): void
  /** False when the tag is not out. */
  delete(tag: number): boolean
  /** The lowest that is out; infinity when none is. */
  first(): number
  size(): number
}

const firstCapacity = 1024
/** With more tags than this between the lowest and the highest, the lowest are kept apart: a slow handler must not make it grow. */
const maxCapacity = 65_536

/** A ring with a mark per tag: a `Set` does the same, but leaves its old tables behind as it shifts, a dozen bytes per message. */
export function createOpenTags(): OpenTags {
  const stragglers = new Set<number>()
  let marks = new Uint8Array(firstCapacity)
  /** The ring holds the tags from `lowest` up to `next`, without it; `lowest` is out unless the ring is empty. */
  let lowest = 1
  let next = 1
  let countInRing = 0

  const slotOf = (tag: number): number => tag % marks.length

  function skipReturned(): void {
    while (lowest < next && marks[slotOf(lowest)] === 0) lowest += 1
  }

  function takeFromRing(tag: number): void {
    marks[slotOf(tag)] = 0
    countInRing -= 1
    skipReturned()
  }

  function makeRoomFor(tag: number): void {
    while (tag - lowest >= marks.length) {
      if (marks.length < maxCapacity) grow()
      else {
        stragglers.add(lowest)
        takeFromRing(lowest)
        if (countInRing === 0) lowest = tag
      }
    }
  }

  function grow(): void {
    const wider = new Uint8Array(marks.length * 2)
    for (let tag = lowest; tag < next; tag += 1) wider[tag % wider.length] = marks[slotOf(tag)]!
    marks = wider
  }

  return {
    add: (tag) => {
      if (countInRing === 0) lowest = tag
      else makeRoomFor(tag)
      marks[slotOf(tag)] = 1
      next = tag + 1
      countInRing += 1
    },
    delete: (tag) => {
      if (tag < lowest) return stragglers.delete(tag)
      if (tag >= next || marks[slotOf(tag)] === 0) return false
      takeFromRing(tag)
      return true
    },
    first: () => {
      for (const tag of stragglers) return tag
      return countInRing === 0 ? Number.POSITIVE_INFINITY : lowest
    },
    size() {
      return stragglers.size + countInRing
    },
  }
}
