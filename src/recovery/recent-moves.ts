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
 * broker hands out no more than it may send ahead before it has seen the acks of what came before.
 */
export interface MoveRing {
  add(move: RememberedMove): void
  /** Finds and forgets a move of such a message that may be the one asked for. @default any may be */
  take(message: MovedMessage, mayBe?: (move: RememberedMove) => boolean): RecentMove | undefined
  /** Finds and forgets those that were not counted. */
  takeUncounted(): readonly RecentMove[]
  /** Forgets all, and hands them out from the first to the last. */
  takeAll(): readonly RememberedMove[]
  /** The ids of all moves. */
  ids(): readonly string[]
  /** Remembers at least so many from now on. */
  makeRoom(count: number): void
  /** Moves that were not counted. */
  readonly uncountedCount: number
  /** Of these, so many will be counted as soon as their messages come again: an id proves them. */
  readonly provedCount: number
  readonly size: number
}

/** Moves, and which of the messages have twins: a message that equals a moved one is not always that one. */
export interface RecentMoves extends Omit<MoveRing, 'take' | 'takeAll' | 'ids'> {
  /** Another pass begins, which is handed all that is left once more. */
  startPass(): void
  /** As of a ring, but only of earlier passes: what this one has moved cannot come to it again. */
  take: MoveRing['take']
  /** One that came again was acknowledged again. Should that be lost too, a later pass finds it. */
  addAgain(move: RememberedMove): void
  /** A pass was handed a message with this id and has not moved it. */
  seeLeft(id: string): void
  /** Somebody looks through what stands in the queue while a pass may be under way. */
  startLook(): void
  /** The look was handed a message with this id, which comes again without having been moved. */
  seeLooked(id: string): void
  /** Besides a message with this id that was moved there was one that was not. */
  hasTwin(id: string): boolean
}

/** A ring: adding is all that most messages ever need of it, so only looking costs. */
export function createMoveRing(initialCapacity: number): MoveRing {
  const moves: (RememberedMove | undefined)[] = []
  let capacity = initialCapacity
  let next = 0
  let size = 0
  /** How many there are of each; made when somebody asks, since most rings are only ever added to. */
  let counts: Map<string, number> | undefined

  function countAll(): Map<string, number> {
    const all = new Map<string, number>()
    for (const move of moves) if (move) all.set(nameOf(move), (all.get(nameOf(move)) ?? 0) + 1)
    return all
  }

  function add(move: RememberedMove): void {
    counts = undefined
    if (moves[next] === undefined) size += 1
    moves[next] = move
    next = (next + 1) % capacity
  }

  function takeAll(): readonly RememberedMove[] {
    const inOrder = [...moves.slice(next), ...moves.slice(0, next)]
    moves.length = 0
    next = 0
    size = 0
    counts = undefined
    return inOrder.filter((move) => move !== undefined)
  }

  return {
    add,
    take: (message, mayBe = () => true) => {
      counts ??= countAll()
      const count = counts.get(nameOf(message)) ?? 0
      if (count === 0) return undefined
      for (let at = 0; at < moves.length; at += 1) {
        const move = moves[at]
        if (move?.id !== message.id || move.digest !== message.digest) continue
        if (!isSame(move.properties, message.properties) || !mayBe(move)) continue
        moves[at] = undefined
        size -= 1
        counts.set(nameOf(message), count - 1)
        return move
      }
      return undefined
    },
    takeUncounted: () => {
      counts = undefined
      const uncounted = moves.filter((move) => move?.isCounted === false)
      for (const move of uncounted) moves[moves.indexOf(move)] = undefined
      size -= uncounted.length
      return uncounted as RecentMove[]
    },
    takeAll,
    makeRoom: (count) => {
      if (count <= capacity) return
      const all = takeAll()
      capacity = count
      for (const move of all) add(move)
    },
    ids: () => moves.flatMap((move) => move?.id ?? []),
    get uncountedCount() {
      return moves.filter((move) => move?.isCounted === false).length
    },
    get provedCount() {
      return moves.filter((move) => move?.isCounted === false && move.id !== '').length
    },
    get size() {
      return size
    },
  }
}

function nameOf({ id, digest }: Pick<MovedMessage, 'id' | 'digest'>): string {
  return `${id} ${digest}`
}

/** What a queue counts into a message when it hands it out again, and how it sorts the headers then, says nothing. */
function isSame(one: RawProperties, other: RawProperties): boolean {
  return one.equals(other) || lastingProperties(one).equals(lastingProperties(other))
}
