import type { ConsumerEvents, Events } from 'warrenmq'
import type { DeliveryTally } from './render-delivery-status.ts'

/** Counts what becomes of deliveries. The tally goes on while the consumer does. */
export function countDeliveries(events: Events<ConsumerEvents>): DeliveryTally {
  const tally: DeliveryTally = { delivered: 0, retried: 0, deadLettered: 0, deferred: 0, stale: 0 }
  events.on('delivery.settled', ({ outcome: { kind } }) => {
    if (kind === 'acknowledge') tally.delivered += 1
    if (kind === 'retry') tally.retried += 1
    if (kind === 'dead-letter') tally.deadLettered += 1
    if (kind === 'defer') tally.deferred += 1
  })
  // What failed as the probe of a breaker, or has no place to go, is held too, and tried again.
  events.on('delivery.held', ({ outcome }) => {
    if (outcome.kind === 'hold' && outcome.why === 'deferred') tally.deferred += 1
    else tally.retried += 1
  })
  // The endpoint has taken it, whatever became of the connection: when the message comes again it is known, and not sent.
  events.on('delivery.stale', ({ outcome: { kind } }) => {
    tally.stale += 1
    if (kind === 'acknowledge') tally.delivered += 1
  })
  return tally
}
