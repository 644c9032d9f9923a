import type { BrokerCapabilities } from '../message/broker-capabilities.ts'
import type { CompiledQueue, CompiledTopology } from './compiled-topology.ts'
import type { Arguments, ArgumentValue, QueueType } from './declaration.ts'
import { effectiveValue, policyArguments } from './effective-value.ts'
import { knownArguments } from './known-arguments.ts'
import type { LivePolicy } from './live-topology.ts'

/** A topology as its policies make it: the arguments of each queue are those in force. */
export interface PoliciesInForce {
  readonly topology: CompiledTopology
  /** The policies by which an argument of a queue is in force, in words; undefined where the queue says it itself. */
  setBy(queue: string, argument: string): string | undefined
}

/** Merges the policies of a topology into the arguments of its queues, by RabbitMQ's precedence. */
export function policiesInForce(
  topology: CompiledTopology,
  capabilities: BrokerCapabilities,
): PoliciesInForce {
  const { policies } = topology
  if (policies.length === 0) return { topology, setBy: () => undefined }
  const setBy = new Map<string, string>()
  const queues = topology.queues.map((queue) => {
    const { names, definition } = policyOf(queue, policies, capabilities)
    const inForce = argumentsInForce({ queue, definition, capabilities })
    for (const argument of Object.keys(inForce)) setBy.set(keyOf(queue.name, argument), names)
    return Object.keys(inForce).length === 0
      ? queue
      : { ...queue, arguments: { ...queue.arguments, ...inForce } }
  })
  return {
    topology: { ...topology, queues },
    setBy: (queue, argument) => setBy.get(keyOf(queue, argument)),
  }
}

function keyOf(queue: string, argument: string): string {
  return JSON.stringify([queue, argument])
}

/** The arguments of a queue that a policy decides, and their values. */
function argumentsInForce({ queue, definition, capabilities }: QueueUnderPolicy): Arguments {
  const inForce: Record<string, ArgumentValue> = {}
  for (const argument of policyArguments(definition)) {
    if (knownArguments[argument]?.types.includes(queue.type) !== true) continue
    const own = queue.arguments[argument]
    const policy = definition[argument.slice(2)]
    const effective = effectiveValue({ argument, own, policy, type: queue.type, capabilities })
    if (effective !== undefined && effective !== own) inForce[argument] = effective
  }
  return inForce
}

interface QueueUnderPolicy {
  readonly queue: CompiledQueue
  readonly definition: Arguments
  readonly capabilities: BrokerCapabilities
}

function policyOf(
  { name, type }: CompiledQueue,
  policies: readonly LivePolicy[],
  capabilities: BrokerCapabilities,
): { readonly names: string; readonly definition: Arguments } {
  const user = matchingPolicy(
    policies.filter(({ isOperatorPolicy }) => !isOperatorPolicy),
    { name, type },
  )
  const operator = matchingPolicy(
    policies.filter(({ isOperatorPolicy }) => isOperatorPolicy),
    { name, type },
  )
  const names = [
    ...(user === undefined ? [] : [`policy "${user.name}"`]),
    ...(operator === undefined ? [] : [`operator policy "${operator.name}"`]),
  ]
  return {
    names: names.join(' and '),
    definition: mergePolicies({ user: user?.definition, operator: operator?.definition, capabilities }),
  }
}

/** What the policies of a vhost say of one queue, by RabbitMQ's precedence. */
export function policyInForce(
  queue: { readonly name: string; readonly type: QueueType },
  { policies, operatorPolicies, capabilities }: PolicyLists,
): Arguments {
  const user = matchingPolicy(policies, queue)
  const operator = matchingPolicy(operatorPolicies, queue)
  return mergePolicies({ user: user?.definition, operator: operator?.definition, capabilities })
}

interface PolicyLists {
  readonly policies: readonly MatchedPolicy[]
  readonly operatorPolicies: readonly MatchedPolicy[]
  readonly capabilities: BrokerCapabilities
}

type MatchedPolicy = Omit<LivePolicy, 'isOperatorPolicy'>

/** The one policy of a list that applies to a queue: of those that match, the one of the highest priority. */
export function matchingPolicy<Policy extends MatchedPolicy>(
  policies: readonly Policy[],
  { name, type }: { readonly name: string; readonly type: QueueType | string },
): Policy | undefined {
  return policies
    .filter((each) => appliesTo(each, type) && isMatch(each.pattern, name))
    .sort((left, right) => right.priority - left.priority)[0]
}

function appliesTo({ applyTo }: MatchedPolicy, type: string): boolean {
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

/** A user and an operator policy as one. Of two numbers the lower applies; anything else of the operator policy wins. */
export function mergePolicies({ user = {}, operator = {}, capabilities }: TwoPolicies): Arguments {
  const merged = Object.entries(operator).map(([key, value]): [string, ArgumentValue] => {
    const own = user[key]
    if (typeof own !== 'number' || typeof value !== 'number') return [key, value]
    const hasUnlimited = (own < 0 || value < 0) && capabilities?.supportsUnlimitedDeliveryLimit === true
    return [key, key === 'delivery-limit' && hasUnlimited ? Math.max(own, value) : Math.min(own, value)]
  })
  return { ...user, ...Object.fromEntries(merged) }
}

interface TwoPolicies {
  readonly user?: Arguments | undefined
  readonly operator?: Arguments | undefined
  readonly capabilities?: BrokerCapabilities
}
