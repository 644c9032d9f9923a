import { createRecentMoves, type RecentMoves } from './recent-moves.ts'

/** Recent moves of which later ones do not push out those of a lost line: what it held may come back after a minute. */
export interface MoveHistory extends RecentMoves {
  lineLost(): void
}

const mostLines = 8

export function createMoveHistory(capacity: number): MoveHistory {
  let lines = [createRecentMoves(capacity)]
  return {
    add: (...move) => lines[0]!.add(...move),
    take: (message) => {
      for (const line of lines) {
        const move = line.take(message)
        if (move) return move
      }
      return undefined
    },
    takeUncounted: () => lines.flatMap((line) => line.takeUncounted()),
    get size() {
      return lines.reduce((total, { size }) => total + size, 0)
    },
    lineLost: () => {
      if (lines[0]!.size > 0) lines = [createRecentMoves(capacity), ...lines].slice(0, mostLines)
    },
  }
}
