/** What settling a delivery came to: `stale` when its channel or the delivery itself is already done with. */
export type Settled = 'sent' | 'stale'

/**
 * Which deliveries of a channel are settled, and how to say so in as few acks as possible. An ack with
 * `multiple` must name a tag that is still open at the broker (else RabbitMQ closes the channel, 406), so
 * the ledger knows for each settled tag whether the broker has been told.
 */
export interface AckLedger {
  /** A delivery arrived. One that needs no ack is settled from the start. */
  opened(deliveryTag: number, needsAck: boolean): void
  /** Marks a delivery as acknowledged; false when it was settled before or never seen. */
  ack(deliveryTag: number): boolean
  /** Marks a delivery as settled by other means (nack, reject); false as above. */
  settle(deliveryTag: number): boolean
  /** Acks that the broker must be told, in order; empties the list. */
  takeAcks(send: (deliveryTag: number, multiple: boolean) => void): void
  /** Acks that the broker has not been told. */
  readonly owedCount: number
  /** Deliveries that are neither acknowledged nor settled. */
  readonly openCount: number
}

export function createAckLedger(): AckLedger {
  let lastOpened = 0
  let openCount = 0
  /** All tags below this one are settled. */
  let firstOpen = 1
  /** Settled tags from firstOpen on: is their ack still to be sent? */
  const settledAhead = new Map<number, boolean>()
  let prefixTag = 0
  let prefixCount = 0
  let owedCount = 0
  let singles: number[] = []

  function isOpen(tag: number): boolean {
    return tag >= firstOpen && tag <= lastOpened && !settledAhead.has(tag)
  }

  function markSettled(tag: number, owesAck: boolean): boolean {
    if (!isOpen(tag)) return false
    openCount -= 1
    if (owesAck) owedCount += 1
    close(tag, owesAck)
    return true
  }

  function close(tag: number, owesAck: boolean): void {
    if (tag !== firstOpen) {
      settledAhead.set(tag, owesAck)
      if (owesAck) singles.push(tag)
      return
    }
    pass(tag, owesAck)
    for (let owes = settledAhead.get(firstOpen); owes !== undefined; owes = settledAhead.get(firstOpen)) {
      settledAhead.delete(firstOpen)
      pass(firstOpen, owes)
    }
  }

  function pass(tag: number, owesAck: boolean): void {
    firstOpen = tag + 1
    if (!owesAck) return
    prefixTag = tag
    prefixCount += 1
  }

  return {
    opened: (tag, needsAck) => {
      lastOpened = tag
      if (needsAck) openCount += 1
      else close(tag, false)
    },
    ack: (tag) => markSettled(tag, true),
    settle: (tag) => markSettled(tag, false),
    takeAcks: (send) => {
      if (prefixCount > 0) send(prefixTag, prefixCount > 1)
      prefixCount = 0
      owedCount = 0
      if (singles.length === 0) return
      const ahead = singles
      singles = []
      for (const tag of ahead) {
        if (!settledAhead.get(tag)) continue // it became part of the prefix
        settledAhead.set(tag, false)
        send(tag, false)
      }
    },
    get owedCount() {
      return owedCount
    },
    get openCount() {
      return openCount
    },
  }
}
