import { ProtocolError } from '../protocol-error.ts'
import type { Channel, HeldDelivery, Transaction } from './channel.ts'
import { deliverToQueues } from './publish.ts'

export function selectConfirms(channel: Channel): void {
  if (channel.transaction) throw preconditionFailed('cannot switch from tx to confirm mode')
  channel.isConfirming = true
}

export function selectTransactions(channel: Channel): void {
  if (channel.isConfirming) throw preconditionFailed('cannot switch from confirm to tx mode')
  channel.transaction ??= { publishes: [], settlements: [] }
}

/**
 * Does all that was put off, publishes first, and says so. RabbitMQ says it when all queues have what was published: at
 * once when there is no such queue, and then what is returned is redelivered after that.
 */
export function commit(channel: Channel, onDone: () => void): void {
  const { publishes, settlements } = openTransaction(channel)
  channel.transaction = { publishes: [], settlements: [] }
  let isComplete = true
  // The channel returns messages itself and at once; what queues deliver in answer reaches it when it is done.
  const inOrder = publishes.toSorted((a, b) => Number(a.queues.length > 0) - Number(b.queues.length > 0))
  for (const routed of inOrder) if (!deliverToQueues(channel, routed)) isComplete = false
  const waitsForQueues = publishes.some(({ queues }) => queues.length > 0)
  if (!waitsForQueues) onDone()
  for (const { held, settle } of settlements) settle(held)
  if (!isComplete) throw preconditionFailed('partial tx completion')
  if (waitsForQueues) onDone()
}

/** Forgets the publishes; what was settled is held again. */
export function rollback(channel: Channel): void {
  const { settlements } = openTransaction(channel)
  channel.transaction = { publishes: [], settlements: [] }
  const held = [...settlements.flatMap((settlement) => settlement.held), ...channel.held.values()]
  channel.held.clear()
  for (const delivery of held.toSorted(byTag)) channel.held.set(delivery.deliveryTag, delivery)
}

function openTransaction(channel: Channel): Transaction {
  if (channel.transaction) return channel.transaction
  throw preconditionFailed('channel is not transactional')
}

function byTag(a: HeldDelivery, b: HeldDelivery): number {
  return a.deliveryTag - b.deliveryTag
}

function preconditionFailed(explanation: string): ProtocolError {
  return new ProtocolError('PRECONDITION_FAILED', explanation)
}
