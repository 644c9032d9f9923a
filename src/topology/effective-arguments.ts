import type { BrokerCapabilities } from '../message/broker-capabilities.ts'
import type { ArgumentValue, QueueType } from './declaration.ts'
import { knownArguments } from './known-arguments.ts'

/** A policy that changes what a queue's arguments say. */
export interface PolicyConflict {
  readonly queue: string
  /** The policies in force, by name. */
  readonly policies: readonly string[]
  readonly key: string
  /** What the topology says; undefined where it leaves the setting out. */
  readonly wanted: ArgumentValue | undefined
  readonly effective: ArgumentValue
  readonly consequence: string
}

/** Settings that a policy can give to a queue whose argument is absent. */
export function isSettableByPolicy(argument: string): boolean {
  return policyKeys.has(argument.slice(2))
}

const lowerWins = ['message-ttl', 'expires', 'max-length', 'max-length-bytes', 'delivery-limit']
const argumentWins = ['dead-letter-exchange', 'dead-letter-routing-key', 'dead-letter-strategy']
const policyKeys: ReadonlySet<string> = new Set([...lowerWins, ...argumentWins, 'overflow'])

/**
 * The value in force when a queue has an argument and a policy has the same setting. Dead-letter settings of
 * the queue win; of two numbers the lower wins, except that from 4.0 on a negative delivery limit loses to a
 * positive one; the overflow of a quorum queue follows the policy.
 */
export function effectiveValue({
  argument,
  own,
  policy,
  type,
  capabilities,
}: Settings): ArgumentValue | undefined {
  if (policy === undefined || own === undefined) return own ?? policy
  const key = argument.slice(2)
  if (argumentWins.includes(key)) return own
  if (key === 'overflow') return type === 'quorum' ? policy : own
  if (!lowerWins.includes(key)) return own
  const numbers = [Number(own), Number(policy)]
  const hasUnlimited = numbers.some((number) => number < 0) && capabilities.supportsUnlimitedDeliveryLimit
  return key === 'delivery-limit' && hasUnlimited ? Math.max(...numbers) : Math.min(...numbers)
}

interface Settings {
  /** With its `x-`. */
  readonly argument: string
  readonly own: ArgumentValue | undefined
  readonly policy: ArgumentValue | undefined
  readonly type: QueueType
  readonly capabilities: BrokerCapabilities
}

/** The policy settings that a queue of this kind acts on, as argument names. */
export function policyArguments(definition: Readonly<Record<string, ArgumentValue>>): readonly string[] {
  return Object.keys(definition)
    .map((key) => `x-${key}`)
    .filter((argument) => Object.hasOwn(knownArguments, argument))
}

/** What it means that a policy sets this. */
export function policyConsequence(argument: string, effective: ArgumentValue): string {
  const key = argument.slice(2)
  if (key === 'overflow') {
    return 'the policy beats the argument; unless it says reject-publish, dead-lettering falls back to at most once and pending dead letters are deleted'
  }
  if (key === 'delivery-limit') return `a message returned more than ${effective} times leaves the queue`
  if (key === 'expires') return 'the queue is deleted with its messages once it is unused'
  if (key === 'message-ttl') return `messages stay for ${effective} ms`
  if (key.startsWith('max-length'))
    return 'the queue is bounded, and what is over the limit is dropped or refused'
  return 'the queue itself says nothing here, so the policy decides'
}
