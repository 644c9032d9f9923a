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

export type RememberedMove = MovedMessage & RecentMove

/**
 * The messages moved last. Acks that a lost connection or a close swallowed are among them, because the
 * broker hands out no more than the window before it has seen the acks of what came before.
 */
export interface MoveRing {
  add(move: RememberedMove): void
  /** Finds and forgets a move of such a message that may be the one asked for. @default any may be */
  take(message: MovedMessage, mayBe?: (move: RememberedMove) => boolean): RecentMove | undefined
  /** Finds and forgets those that were not counted. */
  takeUncounted(): readonly RecentMove[]
  /** Forgets all, and hands them out from the first to the last. */
  takeAll(): readonly RememberedMove[]
  /** Moves that were not counted. */
  readonly uncountedCount: number
  readonly size: number
}

/** Moves, and which of the messages have twins: a message that equals a moved one is not always that one. */
export interface RecentMoves extends Omit<MoveRing, 'takeAll'> {
  /** Another pass begins, which is handed all that is left once more. */
  startPass(): void
  /** One that came again was acknowledged again. Should that be lost too, a later pass finds it, but not this one. */
  addAgain(move: RememberedMove): void
  /** A message with this id was moved. */
  seeMoved(id: string): void
  /** A pass was handed a message with this id and has not moved it. */
  seeLeft(id: string): void
  /** Besides a message with this id that was moved there was one that was not. */
  hasTwin(id: string): boolean
}

/** A ring: adding is all that most messages ever need of it, so only looking costs. */
export function createMoveRing(capacity: number): MoveRing {
  const moves: (RememberedMove | undefined)[] = []
  let next = 0
  let size = 0
  return {
    add: (move) => {
      if (moves[next] === undefined) size += 1
      moves[next] = move
      next = (next + 1) % capacity
    },
    take: (message, mayBe = () => true) => {
      for (let at = 0; at < moves.length; at += 1) {
        const move = moves[at]
        if (move?.id !== message.id || move.digest !== message.digest) continue
        if (!isSame(move.properties, message.properties) || !mayBe(move)) continue
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
    takeAll: () => {
      const inOrder = [...moves.slice(next), ...moves.slice(0, next)]
      moves.length = 0
      next = 0
      size = 0
      return inOrder.filter((move) => move !== undefined)
    },
    get uncountedCount() {
      return moves.filter((move) => move?.isCounted === false).length
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
