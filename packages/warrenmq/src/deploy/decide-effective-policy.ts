import type { BrokerCapabilities } from '../message/broker-capabilities.ts'
import type { Arguments } from '../topology/declaration.ts'
import type { LivePolicy } from '../topology/live-topology.ts'
import { matchingPolicy, mergePolicies } from '../topology/policies-in-force.ts'

/** The policy settings in force for one queue, and the operator policy among them. */
export interface PolicyInForce {
  readonly operatorPolicy: string | undefined
  readonly definition: Arguments | undefined
}

/**
 * Joins the user policy that the broker names for a queue with the operator policy that matches it. Of two
 * numbers the lower applies; anything else of the operator policy wins. The cheap list of queues, which is the
 * only one that is up to date, names the user policy and leaves the rest to us.
 */
export function decideEffectivePolicy({
  queue,
  type,
  policy,
  policies,
  capabilities,
}: PolicyQuestion): PolicyInForce {
  const user = policies.find(({ name, isOperatorPolicy }) => !isOperatorPolicy && name === policy)
  const operator = matchingPolicy(
    policies.filter(({ isOperatorPolicy }) => isOperatorPolicy),
    { name: queue, type },
  )
  if (user === undefined && operator === undefined)
    return { operatorPolicy: undefined, definition: undefined }
  return {
    operatorPolicy: operator?.name,
    definition: mergePolicies({ user: user?.definition, operator: operator?.definition, capabilities }),
  }
}

export interface PolicyQuestion {
  readonly queue: string
  readonly type: string
  readonly policy: string | undefined
  readonly policies: readonly LivePolicy[]
  readonly capabilities: BrokerCapabilities
}
