import { expect, it } from 'vitest'
import { renderDeliveryStatus } from './render-delivery-status.ts'

const quiet = { delivered: 0, retried: 0, deadLettered: 0, deferred: 0, stale: 0 }
const status = { queue: 'orders', tally: quiet, running: 0, breaker: 'closed', isConnected: true } as const

it.each([
  ['says what is under way', { running: 3 }, 'orders: 0 delivered, 3 in flight'],
  [
    'counts what did not go well, and only that',
    { tally: { ...quiet, delivered: 9, retried: 2, deadLettered: 1, deferred: 4 } },
    'orders: 9 delivered, 0 in flight, 2 to retry, 4 deferred, 1 dead-lettered',
  ],
  [
    'says that the breaker holds messages back',
    { breaker: 'open' },
    'orders: 0 delivered, 0 in flight  breaker open',
  ],
  [
    'says first that there is no connection',
    { breaker: 'open', isConnected: false },
    'orders: 0 delivered, 0 in flight  reconnecting',
  ],
] as const)('%s', (_, change, line) => {
  expect(renderDeliveryStatus({ ...status, ...change })).toBe(line)
})
