import { headerNames } from '../wire/header-table.ts'
import { editProperties, type RawProperties, readProperty } from '../wire/properties.ts'

/** Where a message was moved to, should it come back because its ack was lost. */
export interface RecentMove {
  /** It was counted as moved. False when its channel was gone before it could be acknowledged. */
  readonly isCounted: boolean
  readonly to: Address
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
    get size() {
      return size
    },
  }
}

function isSame(one: RawProperties, other: RawProperties): boolean {
  return withoutCounts(one).equals(withoutCounts(other))
}

/** What a queue writes into a message each time it hands it out again. */
const counts: ReadonlySet<string> = new Set(['x-delivery-count', 'x-acquired-count'])

function withoutCounts(raw: RawProperties): RawProperties {
  const headers = readProperty(raw, 'headers')
  if (headers === undefined) return raw
  if (headerNames(headers).every((name) => counts.has(name)))
    return editProperties(raw, { remove: ['headers'] })
  return editProperties(raw, { headers: { remove: (name) => counts.has(name) } })
}
