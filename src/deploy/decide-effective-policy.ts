import type { Arguments, ArgumentValue } from '../topology/declaration.ts'
import type { LivePolicy } from '../topology/live-topology.ts'

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
export function decideEffectivePolicy({ queue, type, policy, policies }: PolicyQuestion): PolicyInForce {
  const user = policies.find(({ name, isOperatorPolicy }) => !isOperatorPolicy && name === policy)
  const operator = policies
    .filter((each) => each.isOperatorPolicy && appliesTo(each, type) && isMatch(each.pattern, queue))
    .sort((left, right) => right.priority - left.priority)[0]
  if (user === undefined && operator === undefined)
    return { operatorPolicy: undefined, definition: undefined }
  return {
    operatorPolicy: operator?.name,
    definition: merge(user?.definition ?? {}, operator?.definition ?? {}),
  }
}

export interface PolicyQuestion {
  readonly queue: string
  readonly type: string
  readonly policy: string | undefined
  readonly policies: readonly LivePolicy[]
}

function appliesTo({ applyTo }: LivePolicy, type: string): boolean {
  return ['all', 'queues', `${type}_queues`, `${type}s`].includes(applyTo)
}

// Patterns are Erlang's; the few that JavaScript cannot read are taken to match, so that no limit is overlooked.
function isMatch(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name)
  } catch {
    return true
  }
}

function merge(user: Arguments, operator: Arguments): Arguments {
  const lower = Object.entries(operator).map(([key, value]): [string, ArgumentValue] => {
    const own = user[key]
    return [key, typeof own === 'number' && typeof value === 'number' ? Math.min(own, value) : value]
  })
  return { ...user, ...Object.fromEntries(lower) }
}
