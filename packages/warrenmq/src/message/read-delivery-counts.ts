import { brokerCapabilities } from './broker-capabilities.ts'
import type { BrokerVersion } from './broker-version.ts'
import { type EncodedHeaders, headerInteger } from './header-values.ts'

/**
 * How often a quorum queue has handed a message out before. A warning about poison, never a count of attempts:
 * the meaning changed in 4.0 and 4.3, and since 4.0 the numbers come along through dead-letter hops.
 */
export interface DeliveryCounts {
  /** Every return to the queue. */
  readonly returns: number
  /** The number that the delivery limit is compared with when the message is returned. */
  readonly towardsLimit: number
}

export function readDeliveryCounts(headers: EncodedHeaders, version: BrokerVersion): DeliveryCounts {
  const delivered = headerInteger(headers, 'x-delivery-count') ?? 0
  if (!brokerCapabilities(version).hasAcquiredCount) return { returns: delivered, towardsLimit: delivered }
  return { returns: headerInteger(headers, 'x-acquired-count') ?? 0, towardsLimit: delivered }
}
