import type { Clock } from '../../clock.ts'
import {
  type BreakerCause,
  type BreakerPolicy,
  type BreakerState,
  type BreakerStep,
  closedBreaker,
  nextBreakerState,
  shownBy,
} from '../decide/breaker-state.ts'
import type { Outcome } from '../decide/decide-outcome.ts'
import type { Run } from './run.ts'

/** Holds the state of a breaker, learns from what becomes of runs, and ends its own pauses. */
export interface Breaker {
  kind(): BreakerState['kind']
  /** What a run that starts now has to show; undefined if nothing is being tried. */
  probes(): BreakerCause | undefined
  /**
   * What became of a handler. The breaker hears of it before the message is settled: otherwise others would start and
   * fail in the meantime.
   */
  decided(run: Pick<Run, 'probes' | 'startedAtMs'>, outcome: Outcome): void
  /** Copies find no place, so that no message should be taken up. */
  unplaced(): void
  /** The result of a run that was let through to show that messages can be settled again. */
  ended(
    run: Pick<Run, 'probes'>,
    result: { readonly kind: string; readonly outcome: { readonly kind: string } },
  ): void
  /** Leaves no timer behind. */
  stop(): void
}

export function createBreaker({
  policy,
  clock,
  onChange,
}: {
  readonly policy: BreakerPolicy
  readonly clock: Clock
  readonly onChange: (change: { from: BreakerState['kind']; to: BreakerState['kind'] }) => void
}): Breaker {
  let state: BreakerState = closedBreaker
  let callOff: (() => void) | undefined

  function step(next: BreakerStep): void {
    const before = state
    state = nextBreakerState(before, next, policy)
    if (state.kind === 'open' && state !== before) scheduleProbe(state.untilMs)
    if (state.kind !== before.kind) onChange({ from: before.kind, to: state.kind })
  }

  function scheduleProbe(untilMs: number): void {
    callOff?.()
    const delayMs = Math.max(0, untilMs - clock.now())
    callOff = clock.schedule(delayMs, () => step({ kind: 'due', atMs: clock.now() }))
  }

  return {
    kind() {
      return state.kind
    },
    probes() {
      return state.kind === 'probing' ? state.cause : undefined
    },
    decided: ({ probes, startedAtMs }, outcome) => {
      if (policy.failureRatio === undefined) return
      const kind = shownBy({ outcome, probes, hasRun: startedAtMs !== undefined })
      if (kind) step({ kind, isProbe: probes === 'failures', atMs: clock.now() })
    },
    unplaced: () => step({ kind: 'tripped', atMs: clock.now() }),
    ended: ({ probes }, { kind, outcome }) => {
      if (probes !== 'unsettled' || kind !== 'settled' || outcome.kind === 'give-back') return
      step({ kind: 'succeeded', isProbe: true, atMs: clock.now() })
    },
    stop: () => callOff?.(),
  }
}
