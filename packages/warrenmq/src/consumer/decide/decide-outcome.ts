import type { DelayTier, ParkRule, QueueFlow } from '../../topology/queue-flow.ts'
import { parseRetryAfter } from '../http/parse-retry-after.ts'
import { meaningOfStatus, type StatusTable } from '../http/status-tables.ts'
import type { Failure, HandlerResult } from '../run/handler-result.ts'
import {
  decideDeferral,
  decideRetryDelay,
  type HoldingLimits,
  type RetryDelay,
} from './decide-retry-delay.ts'

/** What is done with a delivery. Broker, events, logs and metrics all read this one value. */
export type Outcome =
  | { readonly kind: 'acknowledge' }
  | {
      readonly kind: 'retry'
      /** The attempt that failed. */
      readonly attempt: number
      /** How long it waits before its next attempt, and where. */
      readonly delay: RetryDelay
      /** Why the attempt failed. */
      readonly failure: Failure
    }
  /** Keep the delivery in the process, unacknowledged, and run it again. */
  | {
      readonly kind: 'hold'
      /** Why it stays in the process. */
      readonly why: HoldReason
      /** When it runs again, in milliseconds since 1970. */
      readonly untilMs: number
      /** Why the last attempt failed, if one did. */
      readonly failure?: Failure
    }
  /** Wait in a tier; costs no attempt. */
  | {
      readonly kind: 'defer'
      /** When it is due, in milliseconds since 1970. */
      readonly untilMs: number
      /** The wait queue. */
      readonly tier: DelayTier
    }
  /** Wait in the process, then give it back to its queue; costs no attempt. */
  | {
      readonly kind: 'requeue'
      /** When it is given back, in milliseconds since 1970. */
      readonly atMs: number
    }
  | {
      readonly kind: 'dead-letter'
      /** Why it is parked. */
      readonly reason: DeadLetterReason
      /** The last attempt. */
      readonly attempt: number
      /** Why that attempt failed. */
      readonly failure: Failure
      /** How it gets into its dead-letter queue. */
      readonly park: ParkRule
      /** Nothing is written on it but why it is here: all that is usually written could not be. */
      readonly isBare?: true
    }

/** `no-way-out`: a plain queue, which knows neither a retry nor a dead-letter queue. */
export type HoldReason = 'deferred' | 'no-way-out' | 'probe-failed'

/** Why a message was parked in its dead-letter queue. */
export type DeadLetterReason =
  | 'attempts-exhausted'
  | 'rejected-by-handler'
  | 'permanent-error'
  | 'refused-status'
  | 'undecodable'
  | 'invalid'
  | 'unknown-message'
  | 'poison'

export interface Decision {
  readonly result: HandlerResult
  /** The attempt that gave the result, from 1. */
  readonly attempt: number
  readonly flow: Pick<QueueFlow, 'retry' | 'defer' | 'park' | 'maxAttempts'>
  readonly statusTable: StatusTable
  readonly holding: HoldingLimits
  /** The breaker let this one through to see whether handlers work again: its failure costs no attempt. */
  readonly isProbe: boolean
  readonly nowMs: number
  /** When a "too early" without a time is asked again. */
  readonly tooEarlyUntilMs: number
}

/** The outcome of what was handled, under all circumstances. */
export const acknowledge: Outcome & { kind: 'acknowledge' } = { kind: 'acknowledge' }

/** The only place that knows what becomes of a delivery. */
export function decideOutcome(decision: Decision): Outcome {
  const { result } = decision
  switch (result.kind) {
    case 'handled':
      return acknowledge
    case 'deferred':
      return deferUntil(decision, 'untilMs' in result ? result.untilMs : decision.nowMs + result.forMs)
    case 'rejected':
      return deadLetter(decision, 'rejected-by-handler', { errorMessage: result.reason })
    case 'poisonous':
      return deadLetter(decision, 'poison', {
        errorMessage: `It ran alone ${times(result.runsAlone)}, and each time its process or connection ended before the handler answered.`,
      })
    case 'retry-asked':
      return tryAgain(decision, { errorMessage: result.reason }, result.afterMs)
    case 'failed':
      return result.isPermanent
        ? deadLetter(decision, permanentReason(result.failure), result.failure)
        : tryAgain(decision, result.failure)
    case 'status':
      return decideStatus(decision, result)
  }
}

/** Is the message done with this result? Of a retry, a deferral and a dead letter it is not. */
export function isAcknowledged(result: HandlerResult, statusTable: StatusTable): boolean {
  if (result.kind === 'handled') return true
  return result.kind === 'status' && meaningOfStatus(result.status, statusTable) === 'acknowledge'
}

/** What becomes of a delivery whose outcome cannot be written down: it is parked with next to nothing on it. */
export function decideUnwritable({
  outcome,
  attempt,
  park,
  problem,
}: {
  readonly outcome: { readonly kind: string; readonly isBare?: true; readonly reason?: DeadLetterReason }
  readonly attempt: number
  readonly park: ParkRule | undefined
  readonly problem: string
}): (Outcome & { kind: 'dead-letter' }) | undefined {
  if (!park || outcome.isBare) return undefined
  const errorMessage = `Its outcome "${outcome.kind}" could not be written into its headers: ${problem}`
  const failure: Failure = { errorType: 'UnwritableMessage', errorMessage }
  const reason = outcome.reason ?? 'permanent-error'
  return { kind: 'dead-letter', reason, attempt, failure, park, isBare: true }
}

/** Did the handler fail in a way that may be caused by its surroundings? The breaker counts these. */
export function isTransientFailure(outcome: Outcome): boolean {
  if (outcome.kind === 'retry') return true
  if (outcome.kind === 'hold') return outcome.why !== 'deferred'
  return outcome.kind === 'dead-letter' && outcome.reason === 'attempts-exhausted'
}

/** Was it the body, which no handler could begin with? That says nothing about the handler's surroundings. */
export function isUnread(outcome: Outcome): boolean {
  const errorCode = 'failure' in outcome ? outcome.failure?.errorCode : undefined
  return errorCode !== undefined && Object.hasOwn(unreadReasons, errorCode)
}

function decideStatus(decision: Decision, result: HandlerResult & { kind: 'status' }): Outcome {
  const { status, error } = result
  const { statusTable, nowMs } = decision
  const wishedMs = statusTable.honoursRetryAfter ? wishOf(result, nowMs) : undefined
  const failure: Failure = { statusCode: status, errorMessage: error }
  const meaning = meaningOfStatus(status, statusTable)
  switch (meaning) {
    case 'acknowledge':
      return acknowledge
    case 'dead-letter':
      return deadLetter(decision, 'refused-status', failure)
    case 'defer':
      return deferUntil(decision, wishedMs === undefined ? decision.tooEarlyUntilMs : nowMs + wishedMs)
    case 'retry':
      return tryAgain(decision, failure, wishedMs)
  }
}

function wishOf({ retryAfterMs, retryAfter }: HandlerResult & { kind: 'status' }, nowMs: number) {
  return retryAfterMs ?? parseRetryAfter(retryAfter ?? null, nowMs)
}

function tryAgain(decision: Decision, failure: Failure, wishedMs?: number): Outcome {
  const { attempt, flow, nowMs, isProbe } = decision
  if (isProbe) return { kind: 'hold', why: 'probe-failed', untilMs: nowMs, failure }
  if (attempt >= flow.maxAttempts && flow.park) return deadLetter(decision, 'attempts-exhausted', failure)
  if (!flow.retry) return deadLetter(decision, 'attempts-exhausted', failure)
  const delay = decideRetryDelay({ rule: flow.retry, failedAttempt: attempt, wishedMs })
  return { kind: 'retry', attempt, delay, failure }
}

function deadLetter(decision: Decision, reason: DeadLetterReason, failure: Failure): Outcome {
  const { flow, attempt, nowMs } = decision
  if (flow.park) return { kind: 'dead-letter', reason, attempt, failure, park: flow.park }
  return { kind: 'hold', why: 'no-way-out', untilMs: nowMs + pauseAfter(attempt), failure }
}

/** The last millisecond that a date can be. */
const latestMs = 8.64e15

function deferUntil(decision: Decision, wishedMs: number): Outcome {
  const { flow, holding, nowMs } = decision
  // A header holds whole milliseconds, and not any number of them.
  const untilMs = Math.min(Math.ceil(wishedMs), latestMs)
  const delayMs = Math.max(0, untilMs - nowMs)
  const deferral = decideDeferral({ rule: flow.defer, delayMs, holding })
  switch (deferral.by) {
    case 'hold':
      return { kind: 'hold', why: 'deferred', untilMs }
    case 'requeue':
      return { kind: 'requeue', atMs: nowMs + deferral.delayMs }
    case 'publish':
      return { kind: 'defer', untilMs, tier: deferral.tier }
  }
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

const unreadReasons: Readonly<Record<string, DeadLetterReason>> = {
  MESSAGE_UNDECODABLE: 'undecodable',
  MESSAGE_INVALID: 'invalid',
  MESSAGE_UNKNOWN: 'unknown-message',
}

function permanentReason({ errorCode = '' }: Failure): DeadLetterReason {
  return Object.hasOwn(unreadReasons, errorCode) ? unreadReasons[errorCode]! : 'permanent-error'
}

/** Doubling from one second to a minute. */
function pauseAfter(attempt: number): number {
  return Math.min(60_000, 1_000 * 2 ** Math.min(attempt - 1, 6))
}
