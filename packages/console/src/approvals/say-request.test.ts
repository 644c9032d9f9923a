import { expect, it } from 'vitest'
import { canBePlannedAgain, sayRequest } from './say-request.ts'

it('a re-drive that waits for a second person is told in words, with every setting of it', () => {
  const request = {
    queue: 'orders.dlq',
    where: 'type:Order',
    to: { queue: 'orders' },
    limit: 10,
    ratePerSecond: 1,
    canary: { messages: 2 },
    stopWhenDead: '5%',
    stopWhenTargetAbove: 1_000,
    attempts: 'continue' as const,
    edit: { body: 'x' },
  }

  expect(sayRequest({ action: 'redrive', request })).toEqual([
    ['Queue', 'orders.dlq'],
    ['Messages', 'Those whose type is “Order”'],
    ['Where to', 'orders'],
    ['At most', '10 messages'],
    ['Not faster than', '1 message a second'],
    ['Try first', '2 messages'],
    ['Stop if', '5% die again'],
    ['Stop if', 'the target holds more than 1,000'],
    ['Attempts', 'The count goes on'],
    ['Edit', 'The body is changed'],
  ])
})

it('so are a discard and a change of the topology', () => {
  expect(sayRequest({ action: 'discard', queue: 'orders.dlq', request: { keys: ['a', 'b'] } })).toEqual([
    ['Queue', 'orders.dlq'],
    ['Messages', '2 selected messages'],
    ['Where to', 'Into a backup, from which they can be restored'],
  ])
  expect(sayRequest({ action: 'apply', request: { plan: 'abc' } })).toEqual([
    ['Plan', 'abc'],
    ['Disruptive steps', 'Left out'],
  ])
})

it.each([
  [{ queue: 'orders.dlq' }, true],
  [{ queue: 'orders.dlq', where: 'type:Order', to: { queue: 'orders' }, reason: 'x', planDigest: 'd' }, true],
  [{ queue: 'orders.dlq', to: 'origin' as const }, true],
  [{ queue: 'orders.dlq', edit: { body: 'x' } }, false],
  [{ queue: 'orders.dlq', canary: { messages: 2, wait: '5m' } }, false],
])('only what an address can say is planned again: %j', (request, can) => {
  expect(canBePlannedAgain(request)).toBe(can)
})
