import { describe, expect, it } from 'vitest'
import type { PreviewTarget, RedrivePreview } from 'warrenmq'
import { describePlanChange } from './describe-plan-change.ts'

const orders: PreviewTarget = {
  target: 'orders',
  count: 3,
  why: 'x-death',
  queues: ['orders'],
  secondFailure: 'orders.dlq',
  keyChanges: 0,
  keysBefore: [],
}
const plan: RedrivePreview = {
  queue: 'orders.dlq',
  present: 3,
  matching: 3,
  moving: 3,
  seen: 3,
  isWhole: true,
  targets: [orders],
  keeping: [],
  refusals: [],
  areRoutesProved: true,
  missing: 0,
  digest: '',
}

describe('what has changed in a plan', () => {
  it.each<[string, Partial<RedrivePreview>, readonly string[]]>([
    ['nothing', {}, []],
    ['more messages', { moving: 5 }, ['2 more messages would move: 5 instead of 3.']],
    ['fewer messages', { moving: 2 }, ['1 fewer message would move: 2 instead of 3.']],
    [
      'another target',
      { targets: [{ ...orders, target: 'other' }] },
      ['None would go to "orders" any more.', '3 would go to "other", which the plan did not have.'],
    ],
    [
      'another way',
      { targets: [{ ...orders, queues: ['orders', 'copies'] }] },
      ['Messages take another way to "orders" now.'],
    ],
    [
      'a refusal',
      { refusals: ['There is no queue "orders".'] },
      ['A target is refused now: There is no queue "orders".'],
    ],
    ['chosen messages', { missing: 1 }, ['No longer in the queue: 1 of the chosen messages.']],
    ['unproved routes', { areRoutesProved: false }, ['The routes cannot be proved now.']],
  ])('is told of %s', (_, change, sentences) => {
    expect(describePlanChange(plan, { ...plan, ...change })).toEqual(sentences)
  })
})
