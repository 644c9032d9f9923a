import { describe, expect, test } from 'vitest'
import type { Receipt } from './receipt.ts'
import { renderReceipt } from './render-receipt.ts'

const receipt: Receipt = {
  format: 'warren-receipt/1',
  id: 'r',
  queue: 'dlq',
  vhost: '/',
  by: 'test',
  reason: undefined,
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:01.000Z',
  ratePerSecond: 4,
  outcome: 'done',
  present: 6,
  moved: 4,
  failed: 0,
  kept: 0,
  stillThere: 2,
  arrivals: 0,
  cameBack: 0,
  missing: 0,
  otherConsumers: 0,
  duplicatesPossible: 0,
  refreshed: 0,
  isBalanced: true,
  targets: [],
  causes: [],
  failures: [],
  keptBecause: [],
  digest: '',
  refusals: [],
}
const sums = '6 = 4 moved + 0 failed + 0 kept + 2 still there'

describe('a receipt for people', () => {
  test.each<[NonNullable<Receipt['interruption']>, string]>([
    ['locked', 'the connection was lost, and somebody else has the queue now.'],
    ['node-lost', 'a node was lost, and the queue has not yet returned the messages that were held there.'],
    ['no-progress', 'some messages could not be taken in several passes.'],
  ])('says what interrupted it: %s', (interruption, text) => {
    const lines = renderReceipt({ ...receipt, outcome: 'interrupted', interruption })

    expect(lines[1]).toBe(`It was interrupted: ${text} Run it again for the rest.`)
  })

  test('of an earlier version says no more than it knows', () => {
    const lines = renderReceipt({ ...receipt, outcome: 'interrupted' })

    expect(lines[1]).toBe('It was interrupted. Run it again for the rest.')
  })

  test('says where messages are that the queue would have deleted', () => {
    expect(renderReceipt({ ...receipt, movedAside: 2 })).toContain(
      '  in dlq.over-limit: 2 of those left, because the queue would have deleted them and accepted no copies',
    )
  })

  test('says in words what failed and where, and what was kept', () => {
    const lines = renderReceipt({
      ...receipt,
      failures: [
        { kind: 'refused', count: 2, targets: ['orders', 'shop order.placed'] },
        { kind: 'unanswered', count: 1 },
      ],
      keptBecause: [{ reason: 'no-wait-queue', count: 1 }],
    })

    expect(lines.slice(1, -1)).toEqual([
      '  2 failed: their target refused them, as a full queue does (refused), to orders, shop order.placed; still in the queue',
      '  1 failed: the broker did not answer (unanswered); still in the queue',
      '  1 kept: no wait queue is known for its origin; --config names the file that declares it',
    ])
  })

  test('tells the error that ended it from what was refused', () => {
    const refusals = ['There is no queue "gone".', 'Access to "orders" was refused.']

    const lines = renderReceipt({ ...receipt, outcome: 'interrupted', interruption: 'failed', refusals })

    expect(lines.slice(2, -1)).toEqual([
      '  refused: There is no queue "gone".',
      '  the error: Access to "orders" was refused.',
    ])
    expect(renderReceipt({ ...receipt, refusals }).at(-2)).toBe('  refused: Access to "orders" was refused.')
  })

  test.each<[string, Partial<Receipt>, string]>([
    ['adds up', {}, sums],
    [
      'says that messages are missing',
      { isBalanced: false, missing: 1 },
      `${sums} — but the queue does not hold what it should`,
    ],
    [
      'says that nobody has counted',
      { isBalanced: false, isCounted: false },
      `${sums} — as far as is known: the broker was away at the end, so the queue was not counted`,
    ],
  ])('%s', (_, changes, last) => {
    expect(renderReceipt({ ...receipt, ...changes }).at(-1)).toBe(last)
  })
})
