import { createIdSet } from './id-set.ts'
import { createMoveRing, type RecentMoves, type RememberedMove } from './recent-moves.ts'

/** Recent moves of which later ones do not push out those of a lost line: what it held may come back after a minute. */
export interface MoveHistory extends RecentMoves {
  lineLost(): void
}

/** As many lines as held all that they may; of those that break after a few messages many more. */
const mostLines = 8

export function createMoveHistory(capacity: number): MoveHistory {
  const moved = createIdSet()
  const left = createIdSet()
  const twins = createIdSet()
  const again: RememberedMove[] = []
  const present = createMoveRing(capacity)
  const lost = createMoveRing(capacity * mostLines)
  return {
    add: present.add,
    take: (message, mayBe) => present.take(message, mayBe) ?? lost.take(message, mayBe),
    takeUncounted: () => [...present.takeUncounted(), ...lost.takeUncounted()],
    get uncountedCount() {
      return present.uncountedCount + lost.uncountedCount
    },
    get size() {
      return present.size + lost.size + again.length
    },
    startPass: () => {
      left.clear()
      for (const move of again.splice(0)) present.add(move)
    },
    addAgain: (move) => {
      again.push(move)
    },
    seeMoved: (id) => {
      moved.add(id)
      if (left.has(id)) twins.add(id)
    },
    seeLeft: (id) => {
      left.add(id)
      if (moved.has(id)) twins.add(id)
    },
    hasTwin: (id) => twins.has(id),
    lineLost: () => {
      for (const move of [...present.takeAll(), ...again.splice(0)]) lost.add(move)
    },
  }
}
