import type { Approval, ApprovalAsks } from '../contract/contract.ts'
import { asksForPayload } from '../guards/refuse-hidden-fields.ts'
import { type PayloadRules, showsAll } from '../show/payload-rules.ts'

/** An approval as a caller may see it: a filter over bodies tells what stands in them. */
export function showApproval(approval: Approval, rules: PayloadRules): Approval {
  return showsAll(rules) ? approval : { ...approval, asks: hideFilter(approval.asks) }
}

const hidden = { where: '***' }

function hideFilter(asks: ApprovalAsks): ApprovalAsks {
  if (asks.action === 'apply') return asks
  const { where } = asks.request
  if (where === undefined || !asksForPayload(where)) return asks
  return asks.action === 'redrive'
    ? { ...asks, request: { ...asks.request, ...hidden } }
    : { ...asks, request: { ...asks.request, ...hidden } }
}
