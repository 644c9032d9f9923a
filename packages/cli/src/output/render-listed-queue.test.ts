import { describe, expect, it } from 'vitest'
import type { ListedQueue } from 'warrenmq/operations'
import { renderListedQueue } from './render-listed-queue.ts'

const cause = { id: 'c', kind: 'error', first: undefined, last: undefined, sample: undefined } as const
const listed = {
  queue: 'orders.dlq',
  messages: 4,
  consumers: 0,
  growthPerMinute: undefined,
  oldest: undefined,
  sources: [],
  looked: 4,
  causes: [],
  notLookedAt: undefined,
} as unknown as ListedQueue

describe('a listed queue', () => {
  it.each([
    [40.4, '+40/min'],
    [-2, '-2/min'],
    [0.2, '+12/h'],
    [-0.02, '-1/h'],
    [0.001, '+1/d'],
    [0, ''],
  ])('that grows by %d a minute says so: %s', (growthPerMinute, expected) => {
    expect(renderListedQueue({ ...listed, growthPerMinute }, 0).facts).toBe(expected)
  })

  it.each([
    [0, ''],
    [1, '1 consumer'],
    [2, '2 consumers'],
    [undefined, 'consumers unknown'],
  ])('with %s consumers of its own says so: %s', (consumers, expected) => {
    expect(renderListedQueue({ ...listed, consumers }, 0).facts).toBe(expected)
  })

  it('tells no consumers from consumers that nobody could count', () => {
    const sources = [
      { queue: 'orders', consumers: 0 },
      { queue: 'gone', consumers: undefined },
    ]

    expect(renderListedQueue({ ...listed, sources }, 0).below).toEqual([
      'from orders (0 consumers)',
      'from gone (consumers unknown)',
    ])
  })

  it('says of how many its shares are, unless they are of all', () => {
    const causes = [{ ...cause, label: 'Timeout', count: 98 }]
    const sample = { ...listed, causes, looked: 100 }

    expect(renderListedQueue({ ...sample, messages: 119_762 }, 0).below).toEqual([
      '98 % of the first 100: Timeout',
    ])
    expect(renderListedQueue({ ...sample, messages: 100 }, 0).below).toEqual(['98 % Timeout'])
  })

  it('keeps a name on its line', () => {
    const causes = [{ ...cause, label: 'Timeout\nfrom nowhere', count: 4 }]

    expect(renderListedQueue({ ...listed, causes }, 0).below).toEqual(['100 % Timeout\\nfrom nowhere'])
  })
})
