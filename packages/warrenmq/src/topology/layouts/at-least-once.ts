import type { BrokerCapabilities } from '../../message/broker-capabilities.ts'
import type { Arguments, QueueType } from '../declaration.ts'

/**
 * Keeps a dead letter in its queue until the next queue has confirmed it. Without this a message whose TTL ran
 * out while the broker was down is fired at a quorum queue that has no leader yet, and is lost: 10 of 15
 * restarts lost messages at most once, none at least once. RabbitMQ falls back to at most once, with no more
 * than a log line, unless the overflow is `reject-publish`; so the two arguments always go together.
 */
export function atLeastOnce({
  type,
  capabilities,
}: {
  type: QueueType
  capabilities: BrokerCapabilities
}): Arguments {
  // A classic queue refuses the argument (406); it is at most once by nature.
  if (type !== 'quorum' || !capabilities.hasAtLeastOnceDeadLettering) return nothing
  return keptUntilConfirmed
}

const nothing: Arguments = {}
const keptUntilConfirmed: Arguments = {
  'x-dead-letter-strategy': 'at-least-once',
  'x-overflow': 'reject-publish',
}

/**
 * Lifts the delivery limit of 20 that RabbitMQ 4 gives every quorum queue. It closes two holes: a dead-letter
 * queue drops what was looked at too often (on 4.3 at the first look, for a message that came over the limit),
 * and a queue that dead-letters into its own wait queue loses what the limit sends there, because a return
 * without a rejection is a cycle to the broker, which it cuts. Before 4.0 there is no limit unless one is set,
 * and -1 means "drop at the first return", so nothing is said there.
 */
export function unlimitedDeliveries({
  type,
  capabilities,
}: {
  type: QueueType
  capabilities: BrokerCapabilities
}): Arguments {
  if (type !== 'quorum' || !capabilities.supportsUnlimitedDeliveryLimit) return nothing
  return withoutLimit
}

const withoutLimit: Arguments = { 'x-delivery-limit': -1 }
