import { matchesPattern } from '../access/name-pattern.ts'
import type { QueueKind } from '../queue/queue-kind.ts'

export type PolicyValue = string | number | boolean | null | readonly PolicyValue[]
export type PolicyDefinition = Readonly<Record<string, PolicyValue>>
export type PolicyTarget = 'all' | 'queues' | 'exchanges' | 'classic_queues' | 'quorum_queues' | 'streams'

export interface Policy {
  readonly name: string
  readonly pattern: string
  readonly definition: PolicyDefinition
  readonly priority: number
  readonly applyTo: PolicyTarget
}

/** What of the policies reaches one queue or exchange. */
export interface EffectivePolicy {
  readonly policy: string | undefined
  readonly operatorPolicy: string | undefined
  readonly definition: PolicyDefinition
}

export const noPolicy: EffectivePolicy = { policy: undefined, operatorPolicy: undefined, definition: {} }

export interface PolicySubject {
  readonly name: string
  readonly kind: QueueKind | 'exchange'
  /** A policy with one such key does not apply to this kind of queue at all. */
  readonly unsupportedKeys: readonly string[]
}

/** Of each kind of policy only the one of highest priority applies; the operator's values narrow the user's. */
export function resolvePolicy(
  subject: PolicySubject,
  { policies, operatorPolicies }: { policies: Iterable<Policy>; operatorPolicies: Iterable<Policy> },
): EffectivePolicy {
  const policy = highest(policies, subject)
  const operatorPolicy = highest(operatorPolicies, subject)
  if (!policy && !operatorPolicy) return noPolicy
  return {
    policy: policy?.name,
    operatorPolicy: operatorPolicy?.name,
    definition: mergeDefinitions(policy?.definition ?? {}, operatorPolicy?.definition ?? {}),
  }
}

function highest(policies: Iterable<Policy>, subject: PolicySubject): Policy | undefined {
  let best: Policy | undefined
  for (const policy of policies) {
    if (isFor(policy, subject) && (!best || policy.priority > best.priority)) best = policy
  }
  return best
}

function isFor(policy: Policy, { name, kind, unsupportedKeys }: PolicySubject): boolean {
  return (
    targetsOf[kind].includes(policy.applyTo) &&
    !unsupportedKeys.some((key) => key in policy.definition) &&
    matchesPattern(policy.pattern, name)
  )
}

const targetsOf: Readonly<Record<PolicySubject['kind'], readonly PolicyTarget[]>> = {
  exchange: ['all', 'exchanges'],
  classic: ['all', 'queues', 'classic_queues'],
  quorum: ['all', 'queues', 'quorum_queues'],
  stream: ['all', 'queues', 'streams'],
}

function mergeDefinitions(user: PolicyDefinition, operator: PolicyDefinition): PolicyDefinition {
  const merged: Record<string, PolicyValue> = { ...user }
  for (const [key, value] of Object.entries(operator)) {
    const ours = merged[key]
    merged[key] = ours === undefined ? value : narrow(key, ours, value)
  }
  return merged
}

function narrow(key: string, user: PolicyValue, operator: PolicyValue): PolicyValue {
  if (typeof user !== 'number' || typeof operator !== 'number') return operator
  if (key === 'queue-version') return operator
  return key === 'delivery-limit' ? lowerDeliveryLimit(user, operator) : Math.min(user, operator)
}

/** A negative limit means none, so where one of two is negative the other is the stricter. */
export function lowerDeliveryLimit(a: number, b: number): number {
  return a < 0 || b < 0 ? Math.max(a, b) : Math.min(a, b)
}
