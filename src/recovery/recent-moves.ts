/** What is known of a message that was moved and came back because its ack was lost. */
export interface RecentMove {
  /** It was counted as moved. False when its channel was gone before it could be acknowledged. */
  readonly isCounted: boolean
  readonly to: { readonly exchange: string; readonly key: string }
}

/**
 * The messages moved last. Acks that a lost connection or a close swallowed are among them, because the
 * broker hands out no more than the window before it has seen the acks of what came before.
 */
export interface RecentMoves {
  add(digest: Buffer, move: RecentMove): void
  /** Finds and forgets a move. */
  take(digest: Buffer): RecentMove | undefined
  readonly size: number
}

export function createRecentMoves(capacity: number): RecentMoves {
  const moves = new Map<string, RecentMove>()
  return {
    add: (digest, move) => {
      moves.set(digest.toString('latin1'), move)
      if (moves.size > capacity) moves.delete(moves.keys().next().value!)
    },
    take: (digest) => {
      const name = digest.toString('latin1')
      const move = moves.get(name)
      if (move) moves.delete(name)
      return move
    },
    get size() {
      return moves.size
    },
  }
}
