import { expect, it } from 'vitest'
import { readRedriveSearch, requestOf, searchOf, whyNotPlanned } from './redrive-search.ts'

it('an address without settings asks for what the server does by itself', () => {
  const search = readRedriveSearch({
    where: '',
    to: 'origin',
    attempts: 'reset',
    limit: '',
    keys: undefined,
  })

  expect(search).toEqual({})
  expect(requestOf('a.dlq', search)).toEqual({ queue: 'a.dlq' })
})

it('what an address says wrongly is refused by the server, and never left out: all messages would be meant', () => {
  const search = readRedriveSearch({ limit: -3, rate: 'fast', canary: 0, keys: 'cut-off' })

  expect(requestOf('a.dlq', search)).toEqual({
    queue: 'a.dlq',
    limit: 0,
    ratePerSecond: 0,
    canary: { messages: 0 },
    keys: ['cut-off'],
  })
})

it.each([
  [{ limit: 10, keys: ['0'.repeat(32)] }, undefined],
  [{ limit: 0 }, '“At most” has to be a whole number above 0.'],
  [{ rate: 0, limit: 1 }, '“Not faster than” has to be a whole number above 0.'],
  [
    { keys: ['cut-off'] },
    'This link names messages in a way that is not understood. It may have been cut off.',
  ],
])('of %j it is said what cannot be planned', (search, said) => {
  expect(whyNotPlanned(search)).toBe(said)
})

it('every setting of the address is in the request', () => {
  const given = {
    where: 'cause:c-1',
    to: 'work',
    attempts: 'continue',
    limit: 10,
    rate: 5,
    canary: 3,
    stopWhenDead: '5%',
    stopWhenTargetAbove: 900,
  }

  expect(requestOf('a.dlq', readRedriveSearch(given))).toEqual({
    queue: 'a.dlq',
    where: 'cause:c-1',
    to: 'work',
    attempts: 'continue',
    limit: 10,
    ratePerSecond: 5,
    canary: { messages: 3 },
    stopWhenDead: '5%',
    stopWhenTargetAbove: 900,
  })
  expect(requestOf('a.dlq', { stopWhenDead: '5' }).stopWhenDead).toBe(5)
})

it('the address of a request leads to the same request', () => {
  const request = {
    queue: 'orders.dlq',
    where: 'type:Order',
    limit: 10,
    ratePerSecond: 5,
    canary: { messages: 2 },
    stopWhenDead: 3,
    stopWhenTargetAbove: 100,
    to: 'retry',
    attempts: 'continue' as const,
  }

  expect(requestOf('orders.dlq', searchOf(request))).toEqual(request)
  expect(requestOf('orders.dlq', searchOf({ queue: 'orders.dlq' }))).toEqual({ queue: 'orders.dlq' })
})
