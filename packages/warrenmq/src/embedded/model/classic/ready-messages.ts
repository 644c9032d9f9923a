import { createFifo, type Fifo } from '../../../fifo.ts'
import { type BinaryHeap, createBinaryHeap } from '../collections/binary-heap.ts'
import type { QueuedMessage } from '../queue/queued-message.ts'

/** The messages of a classic queue that wait for a consumer: by priority, then in the order they came. */
export interface ReadyMessages {
  size(): number
  bytes(): number
  add(entry: QueuedMessage): void
  /** Puts one that was handed out back to where it stood. */
  putBack(entry: QueuedMessage): void
  peek(): QueuedMessage | undefined
  take(): QueuedMessage | undefined
  clear(): void
  inOrder(): readonly QueuedMessage[]
}

interface Level {
  readonly fresh: Fifo<QueuedMessage>
  /** Came back. All of them stand before what is fresh, because only the first is ever handed out. */
  readonly returned: BinaryHeap<QueuedMessage>
}

export function createReadyMessages(maxPriority: number): ReadyMessages {
  const levels: readonly Level[] = Array.from({ length: maxPriority + 1 }, createLevel)
  let size = 0
  let bytes = 0

  function levelOf(entry: QueuedMessage): Level {
    return levels[Math.min(entry.message.priority ?? 0, maxPriority)]!
  }

  function count(entry: QueuedMessage, sign: 1 | -1): void {
    size += sign
    bytes += sign * entry.sizeBytes
  }

  function firstLevel(): Level | undefined {
    if (size === 0) return undefined
    if (levels.length === 1) return levels[0]
    return levels.findLast(({ fresh, returned }) => fresh.size() > 0 || returned.size() > 0)
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
      levelOf(entry).fresh.push(entry)
    },
    putBack: (entry) => {
      count(entry, 1)
      levelOf(entry).returned.add(entry)
    },
    peek: () => {
      const level = firstLevel()
      return level?.returned.peek() ?? level?.fresh.peek()
    },
    take: () => {
      const level = firstLevel()
      const entry = level?.returned.take() ?? level?.fresh.shift()
      if (entry) count(entry, -1)
      return entry
    },
    clear: () => {
      for (const { fresh, returned } of levels) {
        fresh.clear()
        returned.clear()
      }
      size = 0
      bytes = 0
    },
    inOrder: () => levels.toReversed().flatMap(({ fresh, returned }) => [...returned.toSorted(), ...fresh]),
  }
}

function createLevel(): Level {
  return { fresh: createFifo(), returned: createBinaryHeap((a, b) => a.position < b.position) }
}
