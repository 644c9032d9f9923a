import type { FieldTable } from '../../../wire/field-value.ts'
import { booleanOf, integerOf, lookUp, textOf } from '../message/terms.ts'
import { lowerDeliveryLimit, type PolicyDefinition } from '../policy/policies.ts'
import type { QueueKind } from './queue-kind.ts'

export type Overflow = 'drop-head' | 'reject-publish' | 'reject-publish-dlx'

export interface DelayedRetry {
  readonly for: 'all' | 'failed' | 'returned'
  readonly minMs: number
  readonly maxMs: number
}

/** What holds for a queue after its arguments and its policies have been weighed against each other. */
export interface QueueSettings {
  readonly messageTtlMs: number | undefined
  readonly expiresMs: number | undefined
  readonly maxLength: number | undefined
  readonly maxBytes: number | undefined
  readonly overflow: Overflow
  readonly deadLetterExchange: string | undefined
  readonly deadLetterRoutingKey: string | undefined
  /** At least once is only for quorum queues that reject publishes; otherwise it falls back silently. */
  readonly isAtLeastOnce: boolean
  /** Undefined means no limit. On 3.x a negative limit is a limit that every return exceeds. */
  readonly deliveryLimit: number | undefined
  readonly hasSingleActiveConsumer: boolean
  readonly maxPriority: number
  readonly consumerTimeoutMs: number
  readonly delayedRetry: DelayedRetry | undefined
  /** Classic queues of 3.x only: every message goes to disk. */
  readonly isLazy: boolean
  /** Streams only. */
  readonly maxAgeMs: number | undefined
}

export interface SettingsRules {
  readonly defaultDeliveryLimit: number | undefined
  readonly isNegativeLimitUnlimited: boolean
  readonly hasDelayedRetry: boolean
}

const halfAnHourMs = 1_800_000

export function resolveSettings(
  { kind, arguments: args }: { readonly kind: QueueKind; readonly arguments: FieldTable },
  policy: PolicyDefinition,
  rules: SettingsRules,
): QueueSettings {
  const source: Source = { args, policy }
  const overflow = resolveOverflow(kind, source)
  const deadLetterExchange = argumentFirst(source, 'dead-letter-exchange')
  return {
    messageTtlMs: lower(source, 'message-ttl'),
    expiresMs: lower(source, 'expires'),
    maxLength: lower(source, 'max-length'),
    maxBytes: lower(source, 'max-length-bytes'),
    overflow,
    deadLetterExchange,
    deadLetterRoutingKey: argumentFirst(source, 'dead-letter-routing-key'),
    isAtLeastOnce:
      kind === 'quorum' &&
      overflow === 'reject-publish' &&
      deadLetterExchange !== undefined &&
      argumentFirst(source, 'dead-letter-strategy') === 'at-least-once',
    deliveryLimit: kind === 'quorum' ? resolveDeliveryLimit(source, rules) : undefined,
    hasSingleActiveConsumer: booleanOf(lookUp(args, 'x-single-active-consumer')) ?? false,
    maxPriority: integerOf(lookUp(args, 'x-max-priority')) ?? 0,
    consumerTimeoutMs: lower(source, 'consumer-timeout') ?? halfAnHourMs,
    delayedRetry: rules.hasDelayedRetry && kind === 'quorum' ? resolveDelayedRetry(source) : undefined,
    isLazy: argumentFirst(source, 'queue-mode') === 'lazy',
    maxAgeMs: parseMaxAge(argumentFirst(source, 'max-age')),
  }
}

interface Source {
  readonly args: FieldTable
  readonly policy: PolicyDefinition
}

function argumentNumber({ args }: Source, name: string): number | undefined {
  return integerOf(lookUp(args, `x-${name}`))
}

function policyNumber({ policy }: Source, name: string): number | undefined {
  const value = policy[name]
  return typeof value === 'number' ? value : undefined
}

function policyText({ policy }: Source, name: string): string | undefined {
  const value = policy[name]
  return typeof value === 'string' ? value : undefined
}

function lower(source: Source, name: string): number | undefined {
  const ofArgument = argumentNumber(source, name)
  const ofPolicy = policyNumber(source, name)
  if (ofArgument === undefined || ofPolicy === undefined) return ofArgument ?? ofPolicy
  return Math.min(ofArgument, ofPolicy)
}

function argumentFirst(source: Source, name: string): string | undefined {
  return textOf(lookUp(source.args, `x-${name}`)) ?? policyText(source, name)
}

/** On a quorum queue the policy's overflow beats the argument's, and it knows no reject-publish-dlx. */
function resolveOverflow(kind: QueueKind, source: Source): Overflow {
  const ofArgument = textOf(lookUp(source.args, 'x-overflow'))
  const ofPolicy = policyText(source, 'overflow')
  if (kind === 'quorum') return (ofPolicy ?? ofArgument) === 'reject-publish' ? 'reject-publish' : 'drop-head'
  return ((ofArgument ?? ofPolicy) as Overflow | undefined) ?? 'drop-head'
}

function resolveDeliveryLimit(source: Source, rules: SettingsRules): number | undefined {
  const ofArgument = argumentNumber(source, 'delivery-limit')
  const ofPolicy = policyNumber(source, 'delivery-limit')
  const lowerOf = rules.isNegativeLimitUnlimited ? lowerDeliveryLimit : Math.min
  const limit =
    ofArgument !== undefined && ofPolicy !== undefined
      ? lowerOf(ofArgument, ofPolicy)
      : (ofArgument ?? ofPolicy ?? rules.defaultDeliveryLimit)
  return limit !== undefined && limit < 0 && rules.isNegativeLimitUnlimited ? undefined : limit
}

/** Here the policy's type beats the argument's; without a shortest delay there is none. */
function resolveDelayedRetry(source: Source): DelayedRetry | undefined {
  const type = policyText(source, 'delayed-retry-type') ?? textOf(lookUp(source.args, 'x-delayed-retry-type'))
  if (type !== 'all' && type !== 'failed' && type !== 'returned') return undefined
  const minMs = lower(source, 'delayed-retry-min')
  if (minMs === undefined || minMs <= 0) return undefined
  const maxMs = lower(source, 'delayed-retry-max')
  return { for: type, minMs, maxMs: maxMs !== undefined && maxMs > 0 ? maxMs : minMs }
}

const maxAgeUnitsMs: Readonly<Record<string, number>> = {
  Y: 31_536_000_000,
  M: 2_592_000_000,
  D: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
}

/** `7D` and the like; undefined for none and for text that is no age. */
export function parseMaxAge(text: string | undefined): number | undefined {
  const [, amount, unit] = /^(\d+)([YMDhms])$/.exec(text ?? '') ?? []
  const milliseconds = Number(amount) * maxAgeUnitsMs[unit ?? 's']!
  return milliseconds > 0 ? milliseconds : undefined
}
