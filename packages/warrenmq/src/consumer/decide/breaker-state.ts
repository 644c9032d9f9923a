import { isTransientFailure, isUnread, type Outcome } from './decide-outcome.ts'

/** When a breaker opens and for how long. */
export interface BreakerPolicy {
  /**
   * Share of failures from which it opens, from 0 to 1. Undefined: failures alone never open it.
   * @example { failureRatio: 0.5 }
   */
  readonly failureRatio: number | undefined
  /**
   * Fewer results than this in the window say nothing.
   * @example { minimumResults: 20 }
   */
  readonly minimumResults: number
  /**
   * The same as `window`, in milliseconds.
   * @example { windowMs: 60_000 }
   */
  readonly windowMs: number
  /**
   * The same as `open`, in milliseconds.
   * @example { openMs: 5_000 }
   */
  readonly openMs: number
  /**
   * The same as `maxOpen`, in milliseconds.
   * @example { maxOpenMs: 300_000 }
   */
  readonly maxOpenMs: number
}

/** closed: all runs. open: nothing starts. probing: one runs, to see whether things work again. */
export type BreakerState =
  | {
      readonly kind: 'closed'
      /** The results of the current half of the window. */
      readonly current: ResultCount
      /** The results of the half before. */
      readonly previous: ResultCount
    }
  | {
      readonly kind: 'open'
      /** What opened it. */
      readonly cause: BreakerCause
      /** When the pause ends, in milliseconds since 1970. */
      readonly untilMs: number
      /** How often it has opened in a row; each time doubles the pause. */
      readonly openings: number
    }
  | {
      readonly kind: 'probing'
      /** What opened it. */
      readonly cause: BreakerCause
      /** How often it has opened in a row; each time doubles the pause. */
      readonly openings: number
    }

/**
 * What opened it, and so what a probe has to show: that handlers work again, or that copies can be published again,
 * for which a handler that fails is as good as any.
 */
export type BreakerCause = 'failures' | 'unsettled'

/** Results of handlers, as a breaker counts them. */
export interface ResultCount {
  /** When this count began, in milliseconds since 1970. */
  readonly sinceMs: number
  /** Results that speak for the handler's surroundings. */
  readonly successes: number
  /** Results that speak against them. */
  readonly failures: number
}

export type BreakerStep =
  | { readonly kind: 'succeeded' | 'failed'; readonly isProbe: boolean; readonly atMs: number }
  /** Messages cannot be settled, so none should be taken up. */
  | { readonly kind: 'tripped'; readonly atMs: number }
  /** The pause is over. */
  | { readonly kind: 'due'; readonly atMs: number }

const nothing: ResultCount = { sinceMs: 0, successes: 0, failures: 0 }

export const closedBreaker: BreakerState = { kind: 'closed', current: nothing, previous: nothing }

export function nextBreakerState(
  state: BreakerState,
  step: BreakerStep,
  policy: BreakerPolicy,
): BreakerState {
  switch (state.kind) {
    case 'closed':
      return fromClosed(state, step, policy)
    case 'open':
      return fromOpen(state, step, policy)
    case 'probing':
      return fromProbing(state, step, policy)
  }
}

/** What an outcome shows about the surroundings of a handler; undefined if it shows nothing. */
export function shownBy({
  outcome,
  probes,
  hasRun,
}: {
  readonly outcome: Outcome
  readonly probes: BreakerCause | undefined
  /** False if its handler did not run. */
  readonly hasRun: boolean
}): 'succeeded' | 'failed' | undefined {
  // One that is to show whether copies can be placed has shown nothing until it is settled.
  if (probes === 'unsettled' || !hasRun || isUnread(outcome)) return undefined
  return isTransientFailure(outcome) ? 'failed' : 'succeeded'
}

type Closed = BreakerState & { kind: 'closed' }
type Open = BreakerState & { kind: 'open' }
type Probing = BreakerState & { kind: 'probing' }

function fromClosed(state: Closed, step: BreakerStep, policy: BreakerPolicy): BreakerState {
  switch (step.kind) {
    case 'tripped':
      return open({ cause: 'unsettled', openings: 1 }, step.atMs, policy)
    case 'due':
      throw new Error('A closed breaker has no pause that could be over.')
    case 'succeeded':
    case 'failed': {
      const counted = count(state, step, policy)
      if (!isOverLimit(counted, policy)) return counted
      return open({ cause: 'failures', openings: 1 }, step.atMs, policy)
    }
  }
}

function fromOpen(state: Open, step: BreakerStep, policy: BreakerPolicy): BreakerState {
  switch (step.kind) {
    case 'due':
      return { kind: 'probing', cause: state.cause, openings: state.openings }
    case 'tripped':
      return { ...state, untilMs: Math.max(state.untilMs, step.atMs + pauseOf(state.openings, policy)) }
    case 'succeeded':
    case 'failed':
      return state // of runs that had begun before it opened
  }
}

function fromProbing(state: Probing, step: BreakerStep, policy: BreakerPolicy): BreakerState {
  switch (step.kind) {
    case 'due':
      throw new Error('A probing breaker has no pause that could be over.')
    case 'tripped':
      return open({ cause: 'unsettled', openings: state.openings + 1 }, step.atMs, policy)
    case 'succeeded':
      return step.isProbe ? closedBreaker : state
    case 'failed':
      if (!step.isProbe) return state
      return open({ cause: state.cause, openings: state.openings + 1 }, step.atMs, policy)
  }
}

function open(
  { cause, openings }: { cause: BreakerCause; openings: number },
  atMs: number,
  policy: BreakerPolicy,
): BreakerState {
  return { kind: 'open', cause, openings, untilMs: atMs + pauseOf(openings, policy) }
}

function pauseOf(openings: number, { openMs, maxOpenMs }: BreakerPolicy): number {
  return Math.min(maxOpenMs, openMs * 2 ** Math.min(openings - 1, 20))
}

/** Two counts of half a window each: old results fall out without a list of them. */
function count(
  state: Closed,
  step: BreakerStep & { kind: 'succeeded' | 'failed' },
  policy: BreakerPolicy,
): Closed {
  const halfMs = policy.windowMs / 2
  const ageMs = step.atMs - state.current.sinceMs
  const previous = ageMs < halfMs ? state.previous : ageMs < policy.windowMs ? state.current : nothing
  const current = ageMs < halfMs ? state.current : { ...nothing, sinceMs: step.atMs }
  return { kind: 'closed', previous, current: addTo(current, step.kind) }
}

function addTo(to: ResultCount, kind: 'succeeded' | 'failed'): ResultCount {
  return kind === 'succeeded' ? { ...to, successes: to.successes + 1 } : { ...to, failures: to.failures + 1 }
}

function isOverLimit({ current, previous }: Closed, policy: BreakerPolicy): boolean {
  if (policy.failureRatio === undefined) return false
  const failures = current.failures + previous.failures
  const results = failures + current.successes + previous.successes
  return results >= policy.minimumResults && failures / results >= policy.failureRatio
}
