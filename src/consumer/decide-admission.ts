import { brokerCapabilities } from '../message/broker-capabilities.ts'
import type { BrokerVersion } from '../message/broker-version.ts'
import { type EncodedHeaders, headerInteger } from '../message/header-values.ts'
import { consumerHeaders } from './consumer-headers.ts'
import { countedReturns, countUnanswered, type GivenBack, isNearLimit, type LimitRule } from './near-limit.ts'

/** What is done with a delivery before its handler runs. */
export type Admission =
  | { readonly kind: 'run' }
  /** It was deferred and came back before its time. */
  | { readonly kind: 'early'; readonly untilMs: number }
  | { readonly kind: 'poisonous'; readonly deliveries: number }
  /**
   * The message is published to its own queue, with a count in its headers: a classic queue keeps none, and that of a
   * quorum queue has come near the delivery limit.
   */
  | Recount

export interface Recount {
  readonly kind: 'recount'
  readonly deliveries: number
  readonly why: 'uncounted' | 'near-limit'
}

const run: Admission = { kind: 'run' }

/**
 * Looks at how often a message was handed out without an answer. A quorum queue counts that itself; a classic
 * queue only says "not the first time", so each such delivery is written into the message.
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
  /** Unanswered deliveries after which a message is parked unseen; undefined lets it go on for ever. */
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
  // What cannot be parked is run all the same: to keep it from its handler would be to keep it for ever.
  const limit = canPark ? poisonLimit : undefined
  if (limit === undefined && !isNear) return early
  const written = headerInteger(headers, consumerHeaders.deliveries) ?? 0
  const isUncounted = isRedelivered && !givenBack?.isLast && !hasBrokerCount(headers, version)
  const counted = Math.max(0, countUnanswered(headers, version) - countedReturns(givenBack, version))
  const deliveries = written + counted + (isUncounted ? 1 : 0)
  if (limit !== undefined && deliveries >= limit) return { kind: 'poisonous', deliveries }
  if (isNear) return { kind: 'recount', deliveries, why: 'near-limit' }
  return isUncounted ? { kind: 'recount', deliveries, why: 'uncounted' } : early
}

function hasBrokerCount(headers: EncodedHeaders, version: BrokerVersion): boolean {
  if (headerInteger(headers, 'x-delivery-count') !== undefined) return true
  if (!brokerCapabilities(version).hasAcquiredCount) return false
  return headerInteger(headers, 'x-acquired-count') !== undefined
}
