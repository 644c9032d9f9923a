import type { Clock } from '../../clock.ts'
import {
  type BreakerCause,
  type BreakerPolicy,
  type BreakerState,
  type BreakerStep,
  closedBreaker,
  nextBreakerState,
} from '../decide/breaker-state.ts'

/** Holds the state of a breaker and ends its pauses. */
export interface Breaker {
  readonly kind: BreakerState['kind']
  /** What a run has to show that is started now; undefined where nothing is tried out. */
  readonly probes: BreakerCause | undefined
  step(step: BreakerStep): void
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
    get kind() {
      return state.kind
    },
    get probes() {
      return state.kind === 'probing' ? state.cause : undefined
    },
    step,
    stop: () => callOff?.(),
  }
}
