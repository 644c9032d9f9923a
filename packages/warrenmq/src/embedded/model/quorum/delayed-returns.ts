import { createBinaryHeap } from '../collections/binary-heap.ts'
import type { QueueSurroundings } from '../queue/queue.ts'
import type { DelayedRetry } from '../queue/queue-settings.ts'
import type { QueuedMessage } from '../queue/queued-message.ts'

/** Messages that a quorum queue of 4.3 holds back for a while after they were returned. */
export interface DelayedReturns {
  count(): number
  /** Takes the entry if the queue delays such a return. */
  take(entry: QueuedMessage, retry: DelayedRetry | undefined, isFailure: boolean): boolean
  clear(): void
}

interface DelayedEntry {
  readonly entry: QueuedMessage
  readonly readyAtMs: number
}

export function createDelayedReturns(
  { clock, createDeadline }: QueueSurroundings,
  onReady: (entries: readonly QueuedMessage[]) => void,
): DelayedReturns {
  const delayed = createBinaryHeap<DelayedEntry>((a, b) =>
    a.readyAtMs === b.readyAtMs ? a.entry.position < b.entry.position : a.readyAtMs < b.readyAtMs,
  )
  const deadline = createDeadline(release)

  function release(): void {
    const entries: QueuedMessage[] = []
    while ((delayed.peek()?.readyAtMs ?? Number.POSITIVE_INFINITY) <= clock.now()) {
      entries.push(delayed.take()!.entry)
    }
    deadline.moveTo(delayed.peek()?.readyAtMs)
    onReady(entries)
  }

  return {
    count() {
      return delayed.size()
    },
    take: (entry, retry, isFailure) => {
      if (!retry || (retry.for === 'failed' && !isFailure) || (retry.for === 'returned' && isFailure))
        return false
      const delayMs = Math.min(retry.minMs * Math.max(1, entry.deliveryCount), retry.maxMs)
      delayed.add({ entry, readyAtMs: clock.now() + delayMs })
      deadline.moveTo(delayed.peek()!.readyAtMs)
      return true
    },
    clear: () => {
      delayed.clear()
      deadline.moveTo(undefined)
    },
  }
}
