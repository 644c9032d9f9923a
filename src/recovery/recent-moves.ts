import { lastingProperties } from '../message/lasting-headers.ts'
import type { RawProperties } from '../wire/properties.ts'
import type { NamedCause } from './redrive-tally.ts'

/** Where a message was moved to, should it come back because its ack was lost. */
export interface RecentMove {
  /** It was counted as moved. False when its channel was gone before it could be acknowledged. */
  readonly isCounted: boolean
  readonly to: Address
  /** Why it was dead, where it is still to be counted. */
  readonly cause?: NamedCause | undefined
  /** It was sent twice, whatever becomes of its ack. */
  readonly mayBeDuplicate?: boolean
}

interface Address {
  readonly exchange: string
  readonly key: string
}

/**
 * Who a message is: its id and all that it carries. The id alone would take a message that was moved and is dead
 * again for one whose ack was lost, and delete it.
 */
export interface MovedMessage {
  readonly id: string
  readonly properties: RawProperties
  /** What `digestBody` gave. */
  readonly digest: string
}

/**
 * The messages moved last. Acks that a lost connection or a close swallowed are among them, because the
 * broker hands out no more than the window before it has seen the acks of what came before.
 */
export interface RecentMoves {
  add(move: MovedMessage & RecentMove): void
  /** Finds and forgets a move. */
  take(message: MovedMessage): RecentMove | undefined
  /** Finds and forgets those that were not counted. */
  takeUncounted(): readonly RecentMove[]
  readonly size: number
}

/** A ring: adding is all that most messages ever need of it, so only looking costs. */
export function createRecentMoves(capacity: number): RecentMoves {
  const moves: ((MovedMessage & RecentMove) | undefined)[] = []
  let next = 0
  let size = 0
  return {
    add: (move) => {
      if (moves[next] === undefined) size += 1
      moves[next] = move
      next = (next + 1) % capacity
    },
    take: (message) => {
      for (let at = 0; at < moves.length; at += 1) {
        const move = moves[at]
        if (move?.id !== message.id || move.digest !== message.digest) continue
        if (!isSame(move.properties, message.properties)) continue
        moves[at] = undefined
        size -= 1
        return move
      }
      return undefined
    },
    takeUncounted: () => {
      const uncounted = moves.filter((move) => move?.isCounted === false)
      for (const move of uncounted) moves[moves.indexOf(move)] = undefined
      size -= uncounted.length
      return uncounted as RecentMove[]
    },
    get size() {
      return size
    },
  }
}

/** What a queue counts into a message when it hands it out again, and how it sorts the headers then, says nothing. */
function isSame(one: RawProperties, other: RawProperties): boolean {
  return one.equals(other) || lastingProperties(one).equals(lastingProperties(other))
}
