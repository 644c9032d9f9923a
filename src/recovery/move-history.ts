import { createIdSet, type IdSet } from './id-set.ts'
import { createMoveRing, type MoveRing, type RecentMoves } from './recent-moves.ts'

/** Recent moves of which later ones do not push out those of a lost line: what it held may come back after a minute. */
export interface MoveHistory extends RecentMoves {
  lineLost(): void
}

/** As many lines as held all that they may; of those that break after a few messages many more. */
const mostLines = 8

export function createMoveHistory(capacity: number): MoveHistory {
  const moved = createIdSet()
  const left = createIdSet()
  const looked = createIdSet()
  const twins = createIdSet()
  const present = createMoveRing(capacity)
  const earlier = createMoveRing(capacity)
  const lost = createMoveRing(capacity * mostLines)
  const rings = [present, earlier, lost]
  let hasLeft = false

  /** Most runs leave nothing behind, and then nobody needs to know who was moved. */
  function startComparing(): void {
    if (hasLeft) return
    hasLeft = true
    for (const ring of rings) for (const id of ring.ids()) moved.add(id)
  }

  function see(id: string, seen: IdSet): void {
    startComparing()
    if (seen.has(id) || moved.has(id)) twins.add(id)
    seen.add(id)
  }

  function compareMoved(id: string): void {
    moved.add(id)
    if (left.has(id)) twins.add(id)
  }

  return {
    add: (move) => {
      present.add(move)
      if (hasLeft && move.id !== '') compareMoved(move.id)
    },
    addAgain: present.add,
    take: (message, mayBe) => earlier.take(message, mayBe) ?? lost.take(message, mayBe),
    takeUncounted: () => rings.flatMap((ring) => ring.takeUncounted()),
    get uncountedCount() {
      return sum(rings, (ring) => ring.uncountedCount)
    },
    get provedCount() {
      return sum(rings, (ring) => ring.provedCount)
    },
    get size() {
      return sum(rings, (ring) => ring.size)
    },
    startPass: () => {
      left.clear()
      for (const move of present.takeAll()) earlier.add(move)
    },
    seeLeft: (id) => see(id, left),
    startLook: () => looked.clear(),
    seeLooked: (id) => see(id, looked),
    hasTwin: (id) => twins.has(id),
    makeRoom: (count) => {
      for (const ring of [present, earlier]) ring.makeRoom(count)
      lost.makeRoom(count * 2)
    },
    lineLost: () => {
      for (const move of [...earlier.takeAll(), ...present.takeAll()]) lost.add(move)
    },
  }
}

function sum(rings: readonly MoveRing[], countOf: (ring: MoveRing) => number): number {
  return rings.reduce((count, ring) => count + countOf(ring), 0)
}
