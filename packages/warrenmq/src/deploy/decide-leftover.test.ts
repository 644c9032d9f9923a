import { describe, expect, it } from 'vitest'
import { decideLeftover, type LeftoverLook } from './decide-leftover.ts'

const idle: LeftoverLook = {
  messages: 0,
  consumers: 0,
  of: { queue: 'orders', consumers: 0, unacknowledged: 0 },
}

describe('a wait queue that is left over', () => {
  it.each<[string, Partial<LeftoverLook>, RegExp]>([
    ['it holds a message', { messages: 1 }, /^it holds 1 message$/],
    ['nobody knows how many it holds', { messages: undefined }, /^it holds an unknown number of messages$/],
    ['somebody consumes it', { consumers: 2 }, /^it has 2 consumers$/],
    [
      'its work queue has a consumer, of whatever release',
      { of: { ...idle.of, consumers: 1 } },
      /^"orders" has 1 consumer, and one of an older release could still publish there$/,
    ],
    [
      'a consumer that is closing holds a message of its work queue',
      { of: { ...idle.of, unacknowledged: 1 } },
      /closing may hold messages of "orders"/,
    ],
    [
      'nobody knows what consumers of its work queue hold',
      { of: { ...idle.of, unacknowledged: undefined } },
      /closing may hold messages of "orders"/,
    ],
  ])('is kept while %s', (_title, change, reason) => {
    expect(decideLeftover({ ...idle, ...change }, { isOldReleaseGone: false })).toEqual({
      kind: 'keep',
      reason: expect.stringMatching(reason),
    })
  })

  it('goes when it is empty and nobody could publish there', () => {
    expect(decideLeftover(idle, { isOldReleaseGone: false })).toEqual({ kind: 'remove' })
  })

  it('goes beside running consumers where somebody knows that none is of the older release, and only when empty', () => {
    const busy = { ...idle, of: { queue: 'orders', consumers: 3, unacknowledged: 7 } }

    expect(decideLeftover(busy, { isOldReleaseGone: true })).toEqual({ kind: 'remove' })
    expect(decideLeftover({ ...busy, messages: 1 }, { isOldReleaseGone: true }).kind).toBe('keep')
  })
})
