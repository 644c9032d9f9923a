import type { Queue } from '../queue/queue.ts'
import { type Channel, type HeldDelivery, isAlive } from './channel.ts'
import { stopReplies } from './consume.ts'

/** Ends a channel: its consumers leave, and what it held goes back to where it came from. */
export function closeChannel(channel: Channel): void {
  if (channel.isClosed) return
  channel.isClosed = true
  channel.holding.moveTo(undefined)
  stopReplies(channel)
  const settledInTransaction = channel.transaction?.settlements.flatMap(({ held }) => held) ?? []
  const heldByQueue = new Map<Queue, HeldDelivery[]>()
  for (const { queue } of channel.consumers.values()) heldByQueue.set(queue, [])
  const held = [...channel.held.values(), ...settledInTransaction].toSorted(
    (a, b) => a.deliveryTag - b.deliveryTag,
  )
  for (const delivery of held) {
    const ofQueue = heldByQueue.get(delivery.queue)
    if (ofQueue) ofQueue.push(delivery)
    else heldByQueue.set(delivery.queue, [delivery])
  }
  channel.held.clear()
  channel.consumers.clear()
  for (const [queue, ofQueue] of heldByQueue) {
    if (isAlive(channel, queue)) queue.channelDown(channel.port, ofQueue)
  }
}
