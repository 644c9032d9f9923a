import { brokerCapabilities } from '../../message/broker-capabilities.ts'
import type { BrokerVersion } from '../../message/broker-version.ts'
import { type EncodedHeaders, headerInteger } from '../../message/header-values.ts'
import { consumerHeaders } from '../settle/consumer-headers.ts'
import {
  countedReturns,
  countUnanswered,
  effectiveLimit,
  type GivenBack,
  isNearLimit,
  type LimitRule,
} from '../settle/near-limit.ts'
import { decideStanding } from './decide-standing.ts'

/** What is done with a delivery before its handler runs. */
export type Admission =
  | { readonly kind: 'run' }
  /** It was deferred and came back before its time. */
  | { readonly kind: 'early'; readonly untilMs: number }
  /** It was run alone so often, and never answered. */
  | { readonly kind: 'poisonous'; readonly runsAlone: number }
  /** The message is published to its own queue, with what is known of it in its headers. */
  | Recount

/** A delivery that is put back into its queue with a count of its deliveries in its headers. */
export interface Recount {
  readonly kind: 'recount'
  /** Deliveries without an answer. */
  readonly deliveries: number
  /** Why it is counted. */
  readonly why: RecountReason
  /** Of a suspect: its runs alone that ended without an answer. */
  readonly runsAlone?: number
}

/**
 * `uncounted`: a classic queue keeps no count. `near-limit`: that of a quorum queue has come near the delivery limit.
 * `suspected`: it was there too often when a process ended. `alone`: its turn has come, and the copy is run alone.
 */
export type RecountReason = 'uncounted' | 'near-limit' | 'suspected' | 'alone'

const run: Admission = { kind: 'run' }

/**
 * Looks at how often a message was delivered without an answer. A quorum queue counts that itself. A classic queue
 * only says "not the first time", so each such delivery is written into the message. That alone makes it a suspect,
 * and no more: most messages that a process held when it ended had nothing to do with it.
 */
export function decideAdmission({
  headers,
  isRedelivered,
  version,
  poisonLimit,
  limitRule,
  canPark,
  givenBack,
  nowMs,
}: {
  readonly headers: EncodedHeaders
  readonly isRedelivered: boolean
  readonly version: BrokerVersion
  /** Runs alone without an answer after which a message is parked; undefined means never. */
  readonly poisonLimit: number | undefined
  readonly limitRule: LimitRule
  /** False on a plain queue that has no place for poison. */
  readonly canPark: boolean
  /** What we returned to the queue ourselves is known to be no crash. */
  readonly givenBack?: GivenBack | undefined
  readonly nowMs: number
}): Admission {
  if (headers === undefined && !isRedelivered) return run
  const isNear = isNearLimit({ headers, version, rule: limitRule, givenBack })
  const untilMs = headerInteger(headers, consumerHeaders.deferredUntil) ?? 0
  const early: Admission = untilMs > nowMs ? { kind: 'early', untilMs } : run
  // A message that cannot be parked runs anyway; otherwise it would never reach its handler.
  const limit = canPark ? poisonLimit : undefined
  if (limit === undefined && !isNear) return early
  const written = headerInteger(headers, consumerHeaders.deliveries) ?? 0
  const isUncounted = isRedelivered && !givenBack?.isLast && !hasBrokerCount(headers, version)
  const counted = Math.max(0, countUnanswered(headers, version) - countedReturns(givenBack, version))
  const deliveries = written + counted + (isUncounted ? 1 : 0)
  const nearLimit: Recount = { kind: 'recount', deliveries, why: 'near-limit' }
  const standing = decideStanding({ headers, isRedelivered, hasLimit: limit !== undefined, givenBack })
  if (standing.kind === 'alone' || limit === undefined) return isNear ? nearLimit : early
  if (standing.kind === 'suspect') {
    const { runsAlone } = standing
    if (runsAlone >= limit) return { kind: 'poisonous', runsAlone }
    if (isNear) return { ...nearLimit, runsAlone }
    if (early.kind === 'early') return early
    return { kind: 'recount', deliveries, why: 'alone', runsAlone }
  }
  if (deliveries >= suspectAfter(limit, effectiveLimit(limitRule, version)))
    return { kind: 'recount', deliveries, why: 'suspected', runsAlone: 0 }
  if (isNear) return nearLimit
  return isUncounted ? { kind: 'recount', deliveries, why: 'uncounted' } : early
}

/** Half of what is held against it later, and no more than half of what the broker allows it. */
function suspectAfter(poisonLimit: number, deliveryLimit = Number.POSITIVE_INFINITY): number {
  return Math.max(1, Math.ceil(Math.min(poisonLimit, deliveryLimit) / 2))
}

function hasBrokerCount(headers: EncodedHeaders, version: BrokerVersion): boolean {
  if (headerInteger(headers, 'x-delivery-count') !== undefined) return true
  if (!brokerCapabilities(version).hasAcquiredCount) return false
  return headerInteger(headers, 'x-acquired-count') !== undefined
}
