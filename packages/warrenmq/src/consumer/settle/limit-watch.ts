import { brokerCapabilities } from '../../message/broker-capabilities.ts'
import type { BrokerVersion } from '../../message/broker-version.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import type { Run } from '../run/run.ts'
import { countUnanswered, effectiveLimit, isNearLimit, type LimitRule, limitRuleOf } from './near-limit.ts'

/** Looks at each delivery for the delivery limit of its queue. */
export interface LimitWatch {
  readonly rule: LimitRule
  /** Tells of a limit that the user named or the queue was declared with, before anything comes. */
  begin(): void
  /** Must it leave immediately, because a few more returns would lose it? */
  isUrgent(run: Pick<Run, 'headers' | 'delivery' | 'givenBack' | 'version'>): boolean
}

export function createLimitWatch({
  flow,
  deliveryLimit,
  found,
}: {
  readonly flow: QueueFlow
  readonly deliveryLimit: number | false | undefined
  /** The queue has this limit, and RabbitMQ deletes what is over it. Reported once. */
  readonly found: (limit: number) => void
}): LimitWatch {
  const rule = limitRuleOf(flow, deliveryLimit)
  let isTold = flow.park !== undefined // there a message over the limit is not simply deleted

  function tell(limit: number | undefined): void {
    if (isTold || limit === undefined) return
    isTold = true
    found(limit)
  }

  return {
    rule,
    begin: () => tell(rule.deliveryLimit === false ? undefined : rule.deliveryLimit),
    isUrgent: ({ headers, delivery, givenBack, version }) => {
      if (headers === undefined || !mayBeCounted(delivery, rule, version)) return false
      // Only a quorum queue counts deliveries: this is how it is known for one, long before it deletes anything.
      if (!isTold && countUnanswered(headers, version) > 0) tell(effectiveLimit(rule, version))
      return isNearLimit({ headers, version, rule, givenBack })
    },
  }
}

/** A count grows with a return, and what was returned is redelivered; from 4.3 on a first delivery may bring one along. */
function mayBeCounted({ isRedelivered }: Run['delivery'], rule: LimitRule, version: BrokerVersion): boolean {
  if (isRedelivered) return true
  return rule.isLostOver && brokerCapabilities(version).deliveryCountAcrossHops === 'limiting'
}
