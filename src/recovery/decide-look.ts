import { brokerCapabilities } from '../message/broker-capabilities.ts'
import type { BrokerVersion } from '../message/broker-version.ts'
import type { EncodedHeaders } from '../message/header-values.ts'
import { readDeliveryCounts } from '../message/read-delivery-counts.ts'

/** What is known of a queue before it is looked at. Undefined is not known. */
export interface QueueFacts {
  readonly type: 'classic' | 'quorum' | 'stream' | undefined
  /** As the broker reports it, from 4.0 on. */
  readonly reportedLimit: number | 'unlimited' | undefined
  readonly argumentLimit: number | undefined
  readonly policyLimit: number | undefined
}

/** What a look costs. Every message that is handed out and given back counts one return. */
export type LookCost =
  | { readonly kind: 'free' }
  /** Messages survive `limit` returns; those near it are put back by a confirmed publish instead. */
  | { readonly kind: 'counted'; readonly limit: number }
  | { readonly kind: 'refused'; readonly problem: string }

/** What giving messages back costs on this queue and version. */
export function decideLook({ facts, version }: { facts: QueueFacts; version: BrokerVersion }): LookCost {
  if (facts.type === 'stream') {
    return {
      kind: 'refused',
      problem: 'It is a stream: nothing can be taken out of it, so nothing is re-driven.',
    }
  }
  if (facts.type === 'classic') return { kind: 'free' }
  if (facts.type === undefined) return decideBlind(version)
  const limit = effectiveLimit(facts, version)
  return limit === undefined ? { kind: 'free' } : { kind: 'counted', limit }
}

/** Without the management API only the version is known, so its default limit is assumed. */
function decideBlind(version: BrokerVersion): LookCost {
  const { defaultDeliveryLimit } = brokerCapabilities(version)
  return defaultDeliveryLimit === undefined
    ? { kind: 'free' }
    : { kind: 'counted', limit: defaultDeliveryLimit }
}

function effectiveLimit(facts: QueueFacts, version: BrokerVersion): number | undefined {
  const { supportsUnlimitedDeliveryLimit, defaultDeliveryLimit } = brokerCapabilities(version)
  if (facts.reportedLimit === 'unlimited') return undefined
  if (facts.reportedLimit !== undefined) return facts.reportedLimit
  const limits = [facts.argumentLimit, facts.policyLimit].filter((limit) => limit !== undefined)
  if (limits.length === 0) return defaultDeliveryLimit
  if (!supportsUnlimitedDeliveryLimit) return Math.max(0, Math.min(...limits))
  const hasUnlimited = limits.some((limit) => limit < 0)
  const limit = hasUnlimited ? Math.max(...limits) : Math.min(...limits)
  return limit < 0 ? undefined : limit
}

/** Returns that stay in hand, for a connection that breaks while the message is held. */
const reservedReturns = 2

/** Whether one message may be given back, or would be deleted by it, now or soon. */
export function mayReturn(fields: {
  headers: EncodedHeaders
  cost: LookCost
  version: BrokerVersion
}): boolean {
  const { headers, cost, version } = fields
  if (cost.kind !== 'counted') return true
  const { towardsLimit } = readDeliveryCounts(headers, version)
  return towardsLimit + 1 + reservedReturns <= cost.limit
}
