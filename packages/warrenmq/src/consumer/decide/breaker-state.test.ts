import { describe, expect, it } from 'vitest'
import {
  type BreakerCause,
  type BreakerPolicy,
  type BreakerState,
  type BreakerStep,
  closedBreaker,
  nextBreakerState,
  shownBy,
} from './breaker-state.ts'
import { acknowledge, type Outcome } from './decide-outcome.ts'

const policy: BreakerPolicy = {
  failureRatio: 0.5,
  minimumResults: 4,
  windowMs: 1_000,
  openMs: 100,
  maxOpenMs: 350,
}

function stateAfter(steps: readonly BreakerStep[], from: BreakerState = closedBreaker): BreakerState {
  return steps.reduce((state, step) => nextBreakerState(state, step, policy), from)
}
const ended = (kind: 'succeeded' | 'failed', atMs: number, isProbe = false): BreakerStep => ({
  kind,
  atMs,
  isProbe,
})
const probing = (openings: number, cause: BreakerCause = 'failures'): BreakerState => ({
  kind: 'probing',
  cause,
  openings,
})

describe('a closed breaker', () => {
  it('stays closed below the ratio, and while there are too few results', () => {
    expect(stateAfter([ended('failed', 1), ended('failed', 2), ended('failed', 3)]).kind).toBe('closed')
    expect(
      stateAfter([ended('succeeded', 1), ended('succeeded', 2), ended('succeeded', 3), ended('failed', 4)])
        .kind,
    ).toBe('closed')
  })

  it('opens at the ratio', () => {
    const state = stateAfter([
      ended('succeeded', 1),
      ended('failed', 2),
      ended('succeeded', 3),
      ended('failed', 4),
    ])
    expect(state).toEqual({ kind: 'open', cause: 'failures', openings: 1, untilMs: 104 })
  })

  it('forgets results that are older than its window', () => {
    const old = [ended('failed', 0), ended('failed', 1), ended('failed', 2)]
    expect(stateAfter([...old, ended('failed', 400)]).kind).toBe('open')
    expect(stateAfter([...old, ended('failed', 1_200)]).kind).toBe('closed')
  })

  it('opens at once when messages cannot be settled', () => {
    expect(stateAfter([{ kind: 'tripped', atMs: 7 }])).toEqual({
      kind: 'open',
      cause: 'unsettled',
      openings: 1,
      untilMs: 107,
    })
  })

  it('never opens by failures where no ratio is set', () => {
    const never = { ...policy, failureRatio: undefined }
    const steps = Array.from({ length: 50 }, (_, at) => ended('failed', at))
    expect(steps.reduce((state, step) => nextBreakerState(state, step, never), closedBreaker).kind).toBe(
      'closed',
    )
  })

  it('has no pause that could be over', () => {
    expect(() => stateAfter([{ kind: 'due', atMs: 1 }])).toThrow('no pause')
  })
})

describe('an open breaker', () => {
  const open: BreakerState = { kind: 'open', cause: 'unsettled', openings: 1, untilMs: 100 }

  it('probes when its pause is over', () => {
    expect(stateAfter([{ kind: 'due', atMs: 100 }], open)).toEqual(probing(1, 'unsettled'))
  })

  it('does not hear of runs that began before it opened', () => {
    expect(stateAfter([ended('succeeded', 50), ended('failed', 51)], open)).toEqual(open)
  })

  it('waits longer when settling fails again', () => {
    expect(stateAfter([{ kind: 'tripped', atMs: 60 }], open)).toEqual({ ...open, untilMs: 160 })
  })
})

describe('a probing breaker', () => {
  it('closes with a probe that succeeds', () => {
    expect(stateAfter([ended('succeeded', 200, true)], probing(3))).toEqual(closedBreaker)
  })

  it('opens for twice as long with each probe that fails, up to its longest', () => {
    expect(stateAfter([ended('failed', 200, true)], probing(1))).toEqual({
      kind: 'open',
      cause: 'failures',
      openings: 2,
      untilMs: 400,
    })
    expect(stateAfter([ended('failed', 200, true)], probing(2))).toEqual({
      kind: 'open',
      cause: 'failures',
      openings: 3,
      untilMs: 550,
    })
  })

  it('opens again when settling fails', () => {
    expect(stateAfter([{ kind: 'tripped', atMs: 200 }], probing(1))).toEqual({
      kind: 'open',
      cause: 'unsettled',
      openings: 2,
      untilMs: 400,
    })
  })

  it('does not hear of runs that are no probe', () => {
    expect(stateAfter([ended('succeeded', 1), ended('failed', 2)], probing(1))).toEqual(probing(1))
  })

  it('has no pause that could be over', () => {
    expect(() => stateAfter([{ kind: 'due', atMs: 1 }], probing(1))).toThrow('no pause')
  })
})

const retried = {
  kind: 'retry',
  attempt: 1,
  delay: { by: 'reject', delayMs: 5_000 },
  failure: {},
} as const satisfies Outcome
const undecodable: Outcome = { ...retried, failure: { errorCode: 'MESSAGE_UNDECODABLE' } }

it.each<[string, Outcome, BreakerCause | undefined, boolean, 'succeeded' | 'failed' | undefined]>([
  ['what was handled is a success', acknowledge, undefined, true, 'succeeded'],
  ['what is tried again is a failure', retried, undefined, true, 'failed'],
  ['so it is of one that was let through to show that handlers work', retried, 'failures', true, 'failed'],
  ['a body that cannot be read shows nothing', undecodable, undefined, true, undefined],
  ['what no handler saw shows nothing', retried, undefined, false, undefined],
  [
    'one that is to show that copies can be placed shows nothing yet',
    acknowledge,
    'unsettled',
    true,
    undefined,
  ],
])('for the breaker, %s', (_, outcome, probes, hasRun, expected) => {
  expect(shownBy({ outcome, probes, hasRun })).toBe(expected)
})
