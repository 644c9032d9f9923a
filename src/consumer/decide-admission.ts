import { brokerCapabilities } from '../message/broker-capabilities.ts'
import type { BrokerVersion } from '../message/broker-version.ts'
import { type EncodedHeaders, headerInteger } from '../message/header-values.ts'
import { readDeathEntries } from '../message/read-deaths.ts'
import { readDeliveryCounts } from '../message/read-delivery-counts.ts'
import { consumerHeaders } from './consumer-headers.ts'

/** What is done with a delivery before its handler runs. */
export type Admission =
  | { readonly kind: 'run' }
  /** It was deferred and came back before its time. */
  | { readonly kind: 'early'; readonly untilMs: number }
  | { readonly kind: 'poisonous'; readonly deliveries: number }
  /** A classic queue keeps no count, so the message is published to its own queue with one. */
  | { readonly kind: 'recount'; readonly deliveries: number }

/** How often this consumer returned a message to its queue without having run it to an end. */
export interface GivenBack {
  readonly times: number
  /** Was a return of ours the last that is known of it? */
  readonly isLast: boolean
}

const run: Admission = { kind: 'run' }
const none: GivenBack = { times: 0, isLast: false }

/**
 * Looks at how often a message was handed out without an answer. A quorum queue counts that itself; a classic
 * queue only says "not the first time", so each such delivery is written into the message.
 */
export function decideAdmission({
  headers,
  isRedelivered,
  version,
  poisonLimit,
  givenBack = none,
  nowMs,
}: {
  readonly headers: EncodedHeaders
  readonly isRedelivered: boolean
  readonly version: BrokerVersion
  /** Unanswered deliveries after which a message is parked unseen; undefined lets it go on for ever. */
  readonly poisonLimit: number | undefined
  /** What we returned to the queue ourselves is known to be no crash. */
  readonly givenBack?: GivenBack | undefined
  readonly nowMs: number
}): Admission {
  if (headers === undefined && !isRedelivered) return run
  const untilMs = headerInteger(headers, consumerHeaders.deferredUntil) ?? 0
  const early: Admission = untilMs > nowMs ? { kind: 'early', untilMs } : run
  if (poisonLimit === undefined) return early
  const written = headerInteger(headers, consumerHeaders.deliveries) ?? 0
  const isUncounted = isRedelivered && !givenBack.isLast && !hasBrokerCount(headers, version)
  const ownReturns = brokerCapabilities(version).countsNackTowardsLimit ? givenBack.times : 0
  const counted = Math.max(0, countUnanswered(headers, version) - ownReturns)
  const deliveries = written + counted + (isUncounted ? 1 : 0)
  if (deliveries >= poisonLimit) return { kind: 'poisonous', deliveries }
  return isUncounted ? { kind: 'recount', deliveries } : early
}

/** From 4.0 to 4.2 the count comes along through a reject loop and holds its rejections, which were answers. */
function countUnanswered(headers: EncodedHeaders, version: BrokerVersion): number {
  const { towardsLimit } = readDeliveryCounts(headers, version)
  if (towardsLimit === 0 || brokerCapabilities(version).deliveryCountAcrossHops !== 'shown')
    return towardsLimit
  const rejections = readDeathEntries(headers)
    .filter(({ reason }) => reason === 'rejected')
    .reduce((sum, { count }) => sum + count, 0)
  return Math.max(0, towardsLimit - rejections)
}

function hasBrokerCount(headers: EncodedHeaders, version: BrokerVersion): boolean {
  if (headerInteger(headers, 'x-delivery-count') !== undefined) return true
  if (!brokerCapabilities(version).hasAcquiredCount) return false
  return headerInteger(headers, 'x-acquired-count') !== undefined
}
