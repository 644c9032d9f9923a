import { describe, expect, it } from 'vitest'
import { type AlertState, decideAlerts, isQueueMeant, quiet } from './decide-alerts.ts'
import type { WebhookRules } from './webhook-settings.ts'

const rules: WebhookRules = { above: undefined, growth: undefined, isNewCause: false, isTaskFinished: false }

/** What is told at each of these depths, a second apart. */
function tell(depths: readonly number[], more: Partial<WebhookRules>): string[][] {
  let state: AlertState = quiet
  return depths.map((messages, second) => {
    const sample = { atMs: second * 1000, messages }
    const decided = decideAlerts(state, { queue: 'a.dlq', sample, rules: { ...rules, ...more } })
    state = decided.state
    return decided.events.map(({ kind }) => kind)
  })
}

const above = ['dlq.above']
const growth = ['dlq.growth']

describe('an alert', () => {
  it('of a depth is told once when it is passed, and again after it was well below', () => {
    expect(tell([10, 11, 50, 9, 11, 8, 11], { above: 10 })).toEqual([[], above, [], [], [], [], above])
  })

  it('of a depth is told at once where the queue is too full from the start', () => {
    expect(tell([99], { above: 10 })).toEqual([above])
  })

  it('of any message at all is one above zero', () => {
    expect(tell([0, 1, 2, 0, 1], { above: 0 })).toEqual([[], above, [], [], above])
  })

  it('of growth counts from the lowest depth within its time', () => {
    const within = { growth: { messages: 10, withinMs: 2000 } }

    expect(tell([100, 104, 109, 113, 120, 120, 120, 120, 131], within)).toEqual([
      ...[[], [], [], [], growth, [], [], [], growth],
    ])
    expect(tell([100, 90, 99, 101], within)).toEqual([[], [], [], growth])
  })

  it('of growth is not told where the depth was high from the start', () => {
    expect(tell([1000, 1001], { growth: { messages: 10, withinMs: 2000 } })).toEqual([[], []])
  })
})

describe('a pattern of queues', () => {
  it.each([
    [[], 'anything', true],
    [['billing.dlq'], 'billing.dlq', true],
    [['billing.dlq'], 'billing.dlq2', false],
    [['billing.*'], 'billing.orders.dlq', true],
    [['*.dlq'], 'billing.orders.dlq', true],
    [['*.dlq'], 'billing.orders', false],
    [['a*b*c'], 'a-b-c', true],
    [['a*b*c'], 'a-c-b', false],
    [['aa*aa'], 'aaa', false],
    [['(a+)*'], '(a+)x', true],
  ])('%j and %s: %s', (patterns, queue, isMeant) => {
    expect(isQueueMeant(patterns, queue)).toBe(isMeant)
  })
})
