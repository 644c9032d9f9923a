import { clearTimeout, setTimeout } from '../../world.ts'
import { createAckLedger } from './ack-ledger.ts'
import type { Output } from './output.ts'

/** The acks of one channel: gathered, and sent in batches, `multiple` where they are contiguous. */
export interface AckWriter {
  /** A delivery arrived. One that needs no ack is settled from the start. */
  opened(deliveryTag: number, needsAck: boolean): void
  /** False when the delivery was settled before or never seen. */
  ack(deliveryTag: number): boolean
  /** The delivery is about to be nacked or rejected; false as above. What was acked before it is written first. */
  settle(deliveryTag: number): boolean
  /** Writes the acks that wait for company. */
  flush(): void
  /** From now on the broker sends at most this many ahead; 0 is no limit. */
  setPrefetch(prefetchCount: number): void
  /** The channel is gone: what was not written never will be. */
  stop(): void
  /** Deliveries that are neither acknowledged nor settled. */
  openCount(): number
  /** Acknowledged, and not written yet. */
  owedCount(): number
  /** May the broker send on for a while before it needs our acks? */
  hasCreditLeft(): boolean
}

/** An ack that is not part of a full batch waits this long for company, in milliseconds. */
const ackDelayMs = 2

/** With so many left to send, a broker has enough for many waits of a millisecond. */
const ampleCredit = 1000

/**
 * How many acks make a batch: a quarter of what the broker may send ahead, so that it never runs out of
 * credit while acks wait. With a prefetch below eight every ack leaves in its own tick.
 */
function ackBatchFor(prefetchCount: number): number {
  return prefetchCount === 0 ? 256 : Math.max(1, Math.min(256, Math.floor(prefetchCount / 4)))
}

export function createAckWriter(channelId: number, output: () => Output): AckWriter {
  const ledger = createAckLedger()
  let prefetch = 0
  let openBefore = 0
  let batch = ackBatchFor(prefetch)
  let timer: NodeJS.Timeout | undefined
  let isDueThisTick = false
  let isStopped = false

  function write(): void {
    clearTimeout(timer)
    timer = undefined
    isDueThisTick = false
    if (isStopped || ledger.owedCount() === 0) return
    const { frames, written, paid } = output()
    paid(write)
    ledger.takeAcks((tag, multiple) => frames.ack(channelId, tag, multiple))
    written()
  }

  function writeThisTick(): void {
    isDueThisTick = true
    output().beforeFlush(write)
  }

  return {
    opened: ledger.opened,
    ack: (tag) => {
      if (!ledger.ack(tag)) return false
      if (ledger.owedCount() === 1) output().owes(write)
      if (isDueThisTick) return true
      if (ledger.owedCount() >= batch) writeThisTick()
      else timer ??= setTimeout(write, ackDelayMs).unref()
      return true
    },
    // An owed ack with `multiple` must leave before the delivery counts as settled, else it would cover it.
    settle: (tag) => {
      write()
      return ledger.settle(tag)
    },
    flush: write,
    setPrefetch: (prefetchCount) => {
      prefetch = prefetchCount
      openBefore = ledger.openCount() + ledger.owedCount()
      batch = ackBatchFor(prefetchCount)
    },
    stop: () => {
      isStopped = true
      output().paid(write)
      clearTimeout(timer)
    },
    openCount() {
      return ledger.openCount()
    },
    owedCount() {
      return ledger.owedCount()
    },
    hasCreditLeft() {
      if (prefetch === 0) return true
      // A walk holds what it was sent: that used up the prefetch of earlier consumers, and not of the next one.
      const used = Math.max(0, ledger.openCount() + ledger.owedCount() - openBefore)
      return prefetch - used > Math.min(prefetch / 2, ampleCredit)
    },
  }
}
