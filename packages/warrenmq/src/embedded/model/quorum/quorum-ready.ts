import { createFifo, type Fifo } from '../../../fifo.ts'
import type { QueuedMessage } from '../queue/queued-message.ts'

/** How a quorum queue treats priorities: not at all (3.x), two in turns (4.0 to 4.2), strictly (from 4.3 on). */
export type QuorumPriorities = 'none' | 'two-levels' | 'strict'

/** The messages of a quorum queue that wait for a consumer. What came back is served before what is fresh. */
export interface QuorumReady {
  size(): number
  bytes(): number
  add(entry: QueuedMessage): void
  addReturned(entry: QueuedMessage): void
  /** Behind everything, as if it had just come in, and with no priority. */
  addToTail(entry: QueuedMessage): void
  take(): QueuedMessage | undefined
  /** Takes out what has expired, as far as the version looks. */
  takeExpired(nowMs: number): readonly QueuedMessage[]
  /** When to look again; Infinity for never. */
  nextExpiryMs(): number
  clear(): void
  inOrder(): readonly QueuedMessage[]
}

export function createQuorumReady(priorities: QuorumPriorities): QuorumReady {
  const returned = createFifo<QueuedMessage>()
  const fresh = createFresh(priorities)
  /** From 4.3 on the first of the returned and the first of every priority may each be the one that expires. */
  const looksEverywhere = priorities === 'strict'
  let size = 0
  let bytes = 0
  let expiringCount = 0

  function count(entry: QueuedMessage, sign: 1 | -1): void {
    size += sign
    bytes += sign * entry.sizeBytes
    if (entry.expiresAtMs !== Number.POSITIVE_INFINITY) expiringCount += sign
  }

  function peek(): QueuedMessage | undefined {
    return returned.peek() ?? fresh.peek()
  }

  function take(): QueuedMessage | undefined {
    const entry = returned.shift() ?? (size > 0 ? fresh.take() : undefined)
    if (entry) count(entry, -1)
    return entry
  }

  function takeExpiredHeads(nowMs: number): readonly QueuedMessage[] {
    const expired: QueuedMessage[] = []
    while ((peek()?.expiresAtMs ?? Number.POSITIVE_INFINITY) <= nowMs) expired.push(take()!)
    return expired
  }

  function takeExpiredEverywhere(nowMs: number): readonly QueuedMessage[] {
    const expired: QueuedMessage[] = []
    shiftExpired(returned, nowMs, expired)
    for (const level of fresh.levels) shiftExpired(level, nowMs, expired)
    for (const entry of expired) count(entry, -1)
    return expired
  }

  return {
    size() {
      return size
    },
    bytes() {
      return bytes
    },
    add: (entry) => {
      count(entry, 1)
      fresh.add(entry, entry.message.priority)
    },
    addReturned: (entry) => {
      count(entry, 1)
      returned.push(entry)
    },
    addToTail: (entry) => {
      count(entry, 1)
      fresh.add(entry, undefined)
    },
    take,
    takeExpired: (nowMs) => {
      if (expiringCount === 0) return nothing
      return looksEverywhere ? takeExpiredEverywhere(nowMs) : takeExpiredHeads(nowMs)
    },
    nextExpiryMs: () => {
      if (expiringCount === 0) return Number.POSITIVE_INFINITY
      if (!looksEverywhere) return peek()?.expiresAtMs ?? Number.POSITIVE_INFINITY
      return fresh.levels.reduce(
        (soonest, level) => Math.min(soonest, expiryOfFirst(level)),
        expiryOfFirst(returned),
      )
    },
    clear: () => {
      returned.clear()
      fresh.clear()
      size = 0
      bytes = 0
      expiringCount = 0
    },
    inOrder: () => [...returned, ...fresh.inOrder()],
  }
}

const nothing: readonly QueuedMessage[] = []

interface Fresh {
  /** The highest priority first. */
  readonly levels: readonly Fifo<QueuedMessage>[]
  add(entry: QueuedMessage, priority: number | undefined): void
  peek(): QueuedMessage | undefined
  take(): QueuedMessage | undefined
  clear(): void
  inOrder(): readonly QueuedMessage[]
}

function createFresh(priorities: QuorumPriorities): Fresh {
  switch (priorities) {
    case 'none':
      return createLevels(() => 0)
    case 'two-levels':
      return createTurns()
    case 'strict':
      return createLevels((priority) => -Math.min(priority ?? 4, 31))
  }
}

/** A level for each priority that has been seen: most queues see one, and 32 would be looked through each time. */
function createLevels(rankOf: (priority: number | undefined) => number): Fresh {
  const byRank = new Map<number, Fifo<QueuedMessage>>()
  const levels: Fifo<QueuedMessage>[] = []

  function levelOf(rank: number): Fifo<QueuedMessage> {
    const known = byRank.get(rank)
    if (known) return known
    const level = createFifo<QueuedMessage>()
    byRank.set(rank, level)
    const ranks = [...byRank.keys()].sort((a, b) => a - b)
    levels.splice(ranks.indexOf(rank), 0, level)
    return level
  }

  const first = () => levels.find((level) => level.size() > 0)
  return {
    levels,
    add: (entry, priority) => levelOf(rankOf(priority)).push(entry),
    peek: () => first()?.peek(),
    take: () => first()?.shift(),
    clear: () => {
      for (const level of levels) level.clear()
    },
    inOrder: () => levels.flatMap((level) => [...level]),
  }
}

/** Two high ones, then a normal one, unless a high one has waited longer. */
function createTurns(): Fresh {
  const high = createFifo<QueuedMessage>()
  const normal = createFifo<QueuedMessage>()
  let turn = 0

  function next(): Fifo<QueuedMessage> {
    if (high.size() === 0) return normal
    const isNormalsTurn = turn === 2 && normal.size() > 0
    return isNormalsTurn && high.peek()!.position > normal.peek()!.position ? normal : high
  }

  return {
    levels: [high, normal],
    add: (entry, priority) => ((priority ?? 0) > 4 ? high : normal).push(entry),
    peek: () => next().peek(),
    take: () => {
      const entry = next().shift()
      if (entry) turn = turn === 2 ? 0 : turn + 1
      return entry
    },
    clear: () => {
      high.clear()
      normal.clear()
      turn = 0
    },
    inOrder: () => takeTurns([...high], [...normal], turn),
  }
}

function takeTurns(
  highs: QueuedMessage[],
  normals: QueuedMessage[],
  firstTurn: number,
): readonly QueuedMessage[] {
  const ordered: QueuedMessage[] = []
  for (let turn = firstTurn; highs.length + normals.length > 0; turn = turn === 2 ? 0 : turn + 1) {
    const isNormal =
      highs.length === 0 || (turn === 2 && normals.length > 0 && highs[0]!.position > normals[0]!.position)
    ordered.push((isNormal ? normals : highs).shift()!)
  }
  return ordered
}

function shiftExpired(level: Fifo<QueuedMessage>, nowMs: number, expired: QueuedMessage[]): void {
  while (expiryOfFirst(level) <= nowMs) expired.push(level.shift()!)
}

function expiryOfFirst(level: Fifo<QueuedMessage>): number {
  return level.peek()?.expiresAtMs ?? Number.POSITIVE_INFINITY
}
