import type { BrokerCapabilities } from '../message/broker-capabilities.ts'
import { formatDuration } from '../message/duration.ts'
import type { ArgumentValue, QueueType } from './declaration.ts'
import { canonicalText } from './is-same-value.ts'
import { knownArguments } from './known-arguments.ts'

/** A policy that changes what a queue's arguments say. */
export interface PolicyConflict {
  /** The queue. */
  readonly queue: string
  /** The policies in force, by name. */
  readonly policies: readonly string[]
  /** The setting, as policies name it. */
  readonly key: string
  /** What the topology says; undefined if it leaves the setting out. */
  readonly wanted: ArgumentValue | undefined
  /** The value that applies. */
  readonly effective: ArgumentValue
  /** What that means for messages. */
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

/** What it means that a policy sets this, for a queue that dead-letters or not. */
export function policyConsequence({ argument, effective, hasDeadLetters }: PolicySetting): string {
  const key = argument.slice(2)
  const goes = hasDeadLetters ? 'leave by the dead-letter exchange' : 'are deleted'
  if (key === 'overflow') {
    return 'the policy beats the argument; unless it says reject-publish, dead-lettering falls back to at most once and pending dead letters are deleted'
  }
  if (key === 'delivery-limit')
    return Number(effective) < 0
      ? 'there is no limit'
      : `messages returned more than ${effective} times ${goes}`
  if (key === 'expires')
    return `the queue is deleted with its messages once it has been unused for ${showSetting(argument, effective)}`
  if (key === 'message-ttl') return `messages ${goes} after ${showSetting(argument, effective)}`
  if (key.startsWith('max-length'))
    return `the queue is bounded: over the limit, the oldest messages ${goes}, or the newest are refused`
  return 'the queue itself sets nothing here, so the policy decides'
}

interface PolicySetting {
  /** With its `x-`. */
  readonly argument: string
  readonly effective: ArgumentValue
  readonly hasDeadLetters: boolean
}

/** A setting for people: times as `1d`, the rest as it is. */
export function showSetting(argument: string, value: ArgumentValue | undefined): string {
  if (value === undefined) return 'not set'
  const isTime = argument === 'x-message-ttl' || argument === 'x-expires'
  return isTime && Number.isSafeInteger(value) ? formatDuration(Number(value)) : canonicalText(value)
}
