import { brokerCapabilities } from '../../message/broker-capabilities.ts'
import type { BrokerVersion } from '../../message/broker-version.ts'
import { type EncodedHeaders, headerInteger } from '../../message/header-values.ts'
import { readDeathEntries } from '../../message/read-deaths.ts'
import { readDeliveryCounts } from '../../message/read-delivery-counts.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import { consumerHeaders } from './consumer-headers.ts'

/** What is known of the number of returns after which a quorum queue takes a message out by itself. */
export interface LimitRule {
  readonly queue: string
  /** False if there is none; undefined if it is that of the broker's version. */
  readonly deliveryLimit: number | false | undefined
  /** A message over it is lost: the queue has no dead-letter exchange, or one that leads into a loop, which is cut. */
  readonly isLostOver: boolean
}

/** How often this consumer returned a message to its queue without having run it to an end. */
export interface GivenBack {
  readonly times: number
  /** Was a return of ours the last that is known of it? */
  readonly isLast: boolean
}

export function limitRuleOf(
  { queue, park, retry, deliveryLimit: declared }: LimitedFlow,
  deliveryLimit: number | false | undefined,
): LimitRule {
  const isLoop = retry?.kind === 'reject'
  // A loop that was declared before an upgrade to 4.0 has no argument that lifts the limit, and may be lost by it.
  const known = isLoop && declared === false ? undefined : declared
  return { queue, deliveryLimit: deliveryLimit ?? known, isLostOver: park === undefined || isLoop }
}

type LimitedFlow = Pick<QueueFlow, 'queue' | 'park' | 'retry' | 'deliveryLimit'>

/** The limit of the queue, as far as it is known. */
export function effectiveLimit({ deliveryLimit }: LimitRule, version: BrokerVersion): number | undefined {
  if (deliveryLimit === false) return undefined
  return deliveryLimit ?? brokerCapabilities(version).defaultDeliveryLimit
}

/**
 * Has a message used up half of its returns, and would be lost by the rest, or dead-lettered for nothing but our own, or
 * before it was proved to be what it is suspected of? A copy at the end of the queue has all of them again. Half, because a consumer may die before it comes to make one.
 */
export function isNearLimit({
  headers,
  version,
  rule,
  givenBack,
}: {
  readonly headers: EncodedHeaders
  readonly version: BrokerVersion
  readonly rule: LimitRule
  readonly givenBack: GivenBack | undefined
}): boolean {
  const limit = effectiveLimit(rule, version)
  if (limit === undefined || headers === undefined) return false
  const isSuspect = headerInteger(headers, consumerHeaders.suspect) !== undefined
  if (!rule.isLostOver && !isSuspect && countedReturns(givenBack, version) === 0) return false
  // A copy of what was never returned would gain nothing, whatever the limit.
  return countUnanswered(headers, version, rule.queue) >= Math.max(1, Math.ceil(limit / 2))
}

/** Those of our own returns that the broker counts. */
export function countedReturns(givenBack: GivenBack | undefined, version: BrokerVersion): number {
  return givenBack && brokerCapabilities(version).countsNackTowardsLimit ? givenBack.times : 0
}

/**
 * From 4.0 to 4.2 the count comes along through a reject loop and holds its rejections, which were answers. With a queue
 * only those of that queue are taken off: anybody can send a history of others.
 */
export function countUnanswered(headers: EncodedHeaders, version: BrokerVersion, ofQueue?: string): number {
  const { towardsLimit } = readDeliveryCounts(headers, version)
  if (towardsLimit === 0 || brokerCapabilities(version).deliveryCountAcrossHops !== 'shown')
    return towardsLimit
  const rejections = readDeathEntries(headers)
    .filter(({ queue, reason }) => reason === 'rejected' && queue === (ofQueue ?? queue))
    .reduce((sum, { count }) => sum + count, 0)
  return Math.max(0, towardsLimit - rejections)
}
