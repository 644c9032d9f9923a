import { WireError } from '../../errors.ts'
import { createOpenTags } from './open-tags.ts'

/** What settling a delivery came to: `stale` when its channel or the delivery itself is already done with. */
export type Settled = 'sent' | 'stale'

/**
 * Which deliveries of a channel are settled, and how to say so in as few acks as possible. An ack with
 * `multiple` must name a tag that is still open at the broker (else RabbitMQ closes the channel, 406), so
 * it names the last one that is owed, and only where nothing before it is open.
 */
export interface AckLedger {
  /** A delivery arrived. One that needs no ack is settled from the start. Throws where numbers do not go up. */
  opened(deliveryTag: number, needsAck: boolean): void
  /** Marks a delivery as acknowledged; false when it was settled before or never seen. */
  ack(deliveryTag: number): boolean
  /**
   * Marks a delivery as settled by other means (nack, reject); false as above. Owed acks must be taken first:
   * one with `multiple` would cover this delivery as well, before the broker learns what became of it.
   */
  settle(deliveryTag: number): boolean
  /** Acks that the broker must be told, in order; empties the list. */
  takeAcks(send: (deliveryTag: number, multiple: boolean) => void): void
  /** Acks that the broker has not been told. */
  owedCount(): number
  /** Deliveries that are neither acknowledged nor settled. */
  openCount(): number
}

export function createAckLedger(): AckLedger {
  const open = createOpenTags()
  let owed: number[] = []
  let lastTag = 0

  return {
    opened: (tag, needsAck) => {
      if (tag <= lastTag) throw wrongOrder(tag, lastTag)
      lastTag = tag
      if (needsAck) open.add(tag)
    },
    ack: (tag) => {
      if (!open.delete(tag)) return false
      owed.push(tag)
      return true
    },
    settle: (tag) => open.delete(tag),
    takeAcks: (send) => {
      if (owed.length === 0) return
      const acked = owed
      owed = []
      const limit = open.first() // all tags below it are settled
      let prefixTag = 0
      let prefixCount = 0
      for (const tag of acked) {
        if (tag > limit) continue
        prefixCount += 1
        if (tag > prefixTag) prefixTag = tag
      }
      if (prefixCount > 0) send(prefixTag, prefixCount > 1)
      if (prefixCount === acked.length) return
      for (const tag of acked) if (tag > limit) send(tag, false)
    },
    owedCount() {
      return owed.length
    },
    openCount() {
      return open.size()
    },
  }
}

/** A number that was used before would make an ack speak of another message. */
function wrongOrder(tag: number, lastTag: number): WireError {
  return new WireError({
    code: 'WIRE_BAD_VALUE',
    detail: `A delivery with the tag ${tag} follows the one with ${lastTag}`,
    offset: 4,
  })
}
