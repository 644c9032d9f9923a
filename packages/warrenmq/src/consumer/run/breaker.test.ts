import { expect, it } from 'vitest'
import { createVirtualClock } from '../../embedded/model/virtual-clock.ts'
import { acknowledge, type Outcome } from '../decide/decide-outcome.ts'
import { createBreaker } from './breaker.ts'

function setup({ failureRatio }: { readonly failureRatio: number | undefined }) {
  const clock = createVirtualClock(0)
  const changes: string[] = []
  const breaker = createBreaker({
    policy: { failureRatio, minimumResults: 2, windowMs: 10_000, openMs: 1_000, maxOpenMs: 8_000 },
    clock,
    onChange: ({ from, to }) => changes.push(`${from} → ${to}`),
  })
  const wait = (untilMs: number) => {
    while (clock.step(untilMs));
  }
  return { breaker, changes, wait }
}

const begun = { probes: undefined, startedAtMs: 0 }
const failed: Outcome = {
  kind: 'retry',
  attempt: 1,
  delay: { by: 'reject', delayMs: 5_000 },
  failure: {},
}
const settled = { kind: 'settled', outcome: acknowledge }

it('opens over failures as soon as they are decided, and closes when a handler works again', () => {
  const { breaker, changes, wait } = setup({ failureRatio: 0.5 })
  breaker.decided(begun, failed)
  breaker.decided(begun, failed)
  wait(1_000)
  expect([breaker.kind(), breaker.probes()]).toEqual(['probing', 'failures'])

  breaker.ended({ probes: 'failures' }, settled)
  expect(breaker.kind()).toBe('probing')
  breaker.decided({ probes: 'failures', startedAtMs: 1_000 }, acknowledge)

  expect(changes).toEqual(['closed → open', 'open → probing', 'probing → closed'])
})

it('opens over a copy without a place, whatever its ratio, and closes when a message is settled', () => {
  const { breaker, changes, wait } = setup({ failureRatio: undefined })
  breaker.unplaced()
  wait(1_000)
  expect(breaker.probes()).toBe('unsettled')

  breaker.ended({ probes: 'unsettled' }, { kind: 'settled', outcome: { kind: 'give-back' } })
  breaker.ended({ probes: 'unsettled' }, { kind: 'stale', outcome: acknowledge })
  breaker.ended({ probes: undefined }, settled)
  expect(breaker.kind()).toBe('probing')
  breaker.ended({ probes: 'unsettled' }, settled)

  expect(changes).toEqual(['closed → open', 'open → probing', 'probing → closed'])
})

it('without a ratio counts no failures', () => {
  const { breaker } = setup({ failureRatio: undefined })
  for (let time = 0; time < 9; time += 1) breaker.decided(begun, failed)
  expect(breaker.kind()).toBe('closed')
})
