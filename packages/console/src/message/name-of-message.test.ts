import { expect, it } from 'vitest'
import { nameOfMessage } from './name-of-message.ts'

it.each([
  [{ type: 'OrderPlaced', routingKey: 'order.placed', id: 'o-1' }, 'OrderPlaced'],
  [{ type: null, routingKey: 'order.placed', id: 'o-1' }, 'order.placed'],
  [{ type: null, routingKey: 'orders.dlq', id: 'o-1' }, 'o-1'],
  [{ type: null, routingKey: '', id: null }, 'Message without type and id'],
])('%j is called %s', (message, name) => {
  expect(nameOfMessage(message, 'orders.dlq')).toBe(name)
})
