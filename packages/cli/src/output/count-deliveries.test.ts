import { expect, it } from 'vitest'
import type { ConsumerEvents } from 'warrenmq'
import { createEvents, type DeliveryEvent } from 'warrenmq/operations'
import { countDeliveries } from './count-deliveries.ts'

const delivery = { queue: 'orders', attempt: 1 } as DeliveryEvent
const none = { delivered: 0, retried: 0, deadLettered: 0, deferred: 0, stale: 0 }

function setup() {
  const events = createEvents<ConsumerEvents>()
  return { events, tally: countDeliveries(events) }
}

it.each([
  ['deferred', { deferred: 1 }],
  ['probe-failed', { retried: 1 }],
  ['no-way-out', { retried: 1 }],
] as const)('what is held because it is %s counts as what happens to it', (why, counted) => {
  const { events, tally } = setup()
  events.emit('delivery.held', { ...delivery, outcome: { kind: 'hold', why, untilMs: 0 } })
  expect(tally).toEqual({ ...none, ...counted })
})

it('what was answered while the connection was lost is delivered once, also when it is known again', () => {
  const { events, tally } = setup()
  events.emit('delivery.stale', { ...delivery, outcome: { kind: 'acknowledge' } })
  events.emit('delivery.remembered', delivery)
  expect(tally).toEqual({ ...none, stale: 1, delivered: 1 })
})

it('what was acknowledged and comes again, because the acknowledgement was lost, is delivered once', () => {
  const { events, tally } = setup()
  events.emit('delivery.settled', { ...delivery, outcome: { kind: 'acknowledge' }, durationMs: 1 })
  events.emit('delivery.remembered', delivery)
  expect(tally).toEqual({ ...none, delivered: 1 })
})
