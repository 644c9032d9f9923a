import { expect, test } from 'vitest'
import { reachedLimit } from './limits.ts'

test.each([
  ['none at all', undefined, 5, undefined],
  ['fewer', 2, 1, undefined],
  ['as many', 2, 2, 2],
  ['more, set afterwards', 2, 3, 2],
  ['nothing allowed', 0, 0, 0],
  ['below nought', -1, 5, undefined],
])('%s', (_, limit, count, reached) => {
  const limits = new Map(limit === undefined ? [] : [['max-queues', limit]])

  expect(reachedLimit(limits, 'max-queues', count)).toBe(reached)
})
