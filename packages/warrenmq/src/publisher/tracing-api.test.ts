import { expect, it } from 'vitest'
import { destinationName } from './tracing-api.ts'

it.each([
  ['orders.events', 'order.placed', '', 'orders.events:order.placed'],
  ['orders.events', '', '', 'orders.events'],
  ['', 'billing', '', 'billing'],
  ['', '', '', 'amq.default'],
  ['orders.events', 'order.placed', 'billing', 'orders.events:order.placed:billing'],
  ['', 'billing', 'billing', 'billing'],
  ['orders.events', '', 'billing', 'orders.events:billing'],
])('exchange "%s", key "%s" and queue "%s" are the destination %s', (exchange, key, queue, name) => {
  expect(destinationName(exchange, key, queue)).toBe(name)
})
