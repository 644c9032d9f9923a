import { brokerCapabilities } from '../../message/broker-capabilities.ts'
import type { BrokerVersion } from '../../message/broker-version.ts'
import type { EncodedHeaders } from '../../message/header-values.ts'
import { readDeliveryCounts } from '../../message/read-delivery-counts.ts'
import { overLimitName } from './over-limit-name.ts'

/** What is known of a queue before a message is taken from it. Undefined is not known. */
export interface QueueFacts {
  readonly vhost: string
  readonly queue: string
  readonly type: 'classic' | 'quorum' | 'stream' | undefined
  /** As the broker reports it, from 4.0 on. */
  readonly reportedLimit: number | 'unlimited' | undefined
  readonly argumentLimit: number | undefined
  /** Of the policies, as the broker merges them; told with its statistics, so some seconds late. */
  readonly policyLimit: number | undefined
  /** From the policies as they are now, which is what the queue obeys. */
  readonly standingPolicyLimit: number | undefined
  /** The policies in force, merged. Another one would displace them, so their settings have to come along. */
  readonly policyDefinition: Readonly<Record<string, unknown>>
  /** What becomes of a message over the limit. `kept`: a dead-letter exchange leads to another queue. */
  readonly overLimit: OverLimit
  /** It is deleted, with all that is in it, when its last consumer ends. */
  readonly isAutoDelete: boolean
  /** It serves one consumer, and that is somebody else's. */
  readonly isServedElsewhere: boolean
  /** It has a length limit and takes nothing beyond it, so it may take no fresh copy of a message. */
  readonly refusesWhenFull: boolean
}

export type OverLimit = 'deleted' | 'kept'

/** What taking messages and giving them back costs. Every one that is given back counts one return. */
export type LookCost =
  | { readonly kind: 'free' }
  /** Messages survive `limit` returns; those near it are put back by a confirmed publish instead. */
  | { readonly kind: 'counted'; readonly limit: number; readonly overLimit: OverLimit }
  | { readonly kind: 'refused'; readonly problem: string }

export interface LookQuestion {
  readonly facts: QueueFacts
  readonly version: BrokerVersion
  /** Somebody decided that no message of the queue is at its limit, or that losing it is worth it. */
  readonly acceptsLimit?: boolean | undefined
}

/**
 * What taking messages from a queue costs. A message can already be at the limit (on 4.3 it arrives that way if a
 * delivery limit killed it), and then a connection that breaks while it is held deletes it. Nobody can read the count
 * without taking the message, so a queue with a limit is refused before the first one.
 */
export function decideLook({ facts, version, acceptsLimit = false }: LookQuestion): LookCost {
  if (facts.type === 'stream') {
    return refuse('It is a stream: messages cannot be taken out of it or put back.')
  }
  if (facts.isAutoDelete) {
    return refuse(
      'It is an auto-delete queue: RabbitMQ deletes it with all its messages when its last consumer ends, and ' +
        'a look is a consumer. Bind a durable queue instead; only a consumer that stays can read this one.',
    )
  }
  if (facts.isServedElsewhere) {
    return refuse(
      'It allows a single active consumer, and another consumer is active, so no message would arrive. Stop that consumer first.',
    )
  }
  if (facts.type === 'classic') return { kind: 'free' }
  if (facts.type === undefined) return decideBlind(version, acceptsLimit)
  const limit = effectiveLimit(facts, version)
  if (limit === undefined) return { kind: 'free' }
  const { overLimit } = facts
  if (overLimit === 'kept') return { kind: 'counted', limit, overLimit }
  // Nobody can accept this: such a message could neither go back nor be copied, whatever happens to the connection.
  if (acceptsLimit && facts.refusesWhenFull)
    return refuse(`${describeRefusing(limit)} ${wayOut(facts, version)}`)
  if (acceptsLimit) return { kind: 'counted', limit, overLimit }
  return refuse(
    `It is a quorum queue with a delivery limit of ${limit} (${sourceOf(facts, version)}) and no dead-letter exchange, so ` +
      'RabbitMQ deletes a message that is over the limit when it goes back, as it does when a connection breaks. ' +
      wayOut(facts, version),
  )
}

function describeRefusing(limit: number): string {
  return (
    `It is a quorum queue with a delivery limit of ${limit} and no dead-letter exchange, and when it is full it refuses ` +
    'the copies that would save messages at the limit (overflow reject-publish). Remove its length limit, or:'
  )
}

/** Without the management API only the version is known, so the worst that it allows is assumed. */
function decideBlind(version: BrokerVersion, acceptsLimit: boolean): LookCost {
  const { defaultDeliveryLimit } = brokerCapabilities(version)
  if (acceptsLimit) {
    return defaultDeliveryLimit === undefined
      ? { kind: 'free' }
      : { kind: 'counted', limit: defaultDeliveryLimit, overLimit: 'deleted' }
  }
  return refuse(
    'Without the management API, Warren cannot tell whether it has a delivery limit, and messages over one are ' +
      'deleted when a connection breaks. Give the address of the API (--management-url), or, if the queue is a classic ' +
      'or an unlimited one, use --accept-delivery-limit.',
  )
}

/** The statistics and the policies may differ for some seconds: then the stricter one counts. */
function effectiveLimit(facts: QueueFacts, version: BrokerVersion): number | undefined {
  const told = toldLimit(facts, version)
  if (facts.standingPolicyLimit === undefined) return told
  const standing = mergeLimits([facts.argumentLimit, facts.standingPolicyLimit], version)
  if (told === undefined || standing === undefined) return told ?? standing
  return Math.min(told, standing)
}

function toldLimit(facts: QueueFacts, version: BrokerVersion): number | undefined {
  if (facts.reportedLimit === 'unlimited') return undefined
  if (facts.reportedLimit !== undefined) return facts.reportedLimit
  return mergeLimits([facts.argumentLimit, facts.policyLimit], version)
}

function mergeLimits(all: readonly (number | undefined)[], version: BrokerVersion): number | undefined {
  const { supportsUnlimitedDeliveryLimit, defaultDeliveryLimit } = brokerCapabilities(version)
  const limits = all.filter((limit) => limit !== undefined)
  if (limits.length === 0) return defaultDeliveryLimit
  if (!supportsUnlimitedDeliveryLimit) return Math.max(0, Math.min(...limits))
  const hasUnlimited = limits.some((limit) => limit < 0)
  const limit = hasUnlimited ? Math.max(...limits) : Math.min(...limits)
  return limit < 0 ? undefined : limit
}

function sourceOf(facts: QueueFacts, version: BrokerVersion): string {
  const { policyLimit, standingPolicyLimit = policyLimit } = facts
  const argumentLimit = limitingArgument(facts, version)
  if (argumentLimit !== undefined && standingPolicyLimit !== undefined) return 'its argument and a policy'
  if (argumentLimit !== undefined) return 'its argument x-delivery-limit'
  const isDefault = standingPolicyLimit === undefined && facts.argumentLimit === undefined
  return isDefault ? "RabbitMQ's default since 4.0" : 'a policy'
}

/** An argument of -1 limits nothing on versions that know it: the limit is then a policy, which another policy can lift. */
function limitingArgument({ argumentLimit }: QueueFacts, version: BrokerVersion): number | undefined {
  const { supportsUnlimitedDeliveryLimit } = brokerCapabilities(version)
  const isUnlimited = supportsUnlimitedDeliveryLimit && argumentLimit !== undefined && argumentLimit < 0
  return isUnlimited ? undefined : argumentLimit
}

/** A policy can lift a limit that no argument sets; if an argument sets it, a policy can still catch what is over it. */
function wayOut(facts: QueueFacts, version: BrokerVersion): string {
  const { supportsUnlimitedDeliveryLimit } = brokerCapabilities(version)
  const { 'delivery-limit': _, ...others } = facts.policyDefinition
  const argumentLimit = limitingArgument(facts, version)
  if (argumentLimit === undefined && supportsUnlimitedDeliveryLimit) {
    const command = policyCommand(facts, { ...others, 'delivery-limit': -1 })
    return `Lift the limit first: ${command}`
  }
  if (argumentLimit === undefined) {
    return 'Remove delivery-limit from the policy first: this version sets no limit by itself.'
  }
  const net = overLimitName(facts.queue)
  const command = policyCommand(facts, {
    ...others,
    'dead-letter-exchange': '',
    'dead-letter-routing-key': net,
    'dead-letter-strategy': 'at-least-once',
    overflow: 'reject-publish',
  })
  return `A policy cannot lift an argument, but it can catch messages over the limit: declare a classic queue "${net}", then ${command}`
}

/** Above every other policy, because only the highest one applies. */
function policyCommand({ vhost, queue }: QueueFacts, definition: Readonly<Record<string, unknown>>): string {
  const pattern = `^${queue.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const words = [`-p ${quote(vhost)}`, '--priority 1000', '--apply-to queues']
  return `rabbitmqctl set_policy ${words.join(' ')} ${quote(`warren ${queue}`)} ${quote(pattern)} ${quote(JSON.stringify(definition))}`
}

function refuse(problem: string): LookCost {
  return { kind: 'refused', problem }
}

/** Returns that are kept in reserve, for a connection that breaks while the message is held. */
const reservedReturns = 2

export interface ReturnQuestion {
  readonly headers: EncodedHeaders
  readonly cost: LookCost
  readonly version: BrokerVersion
}

/** Whether one message may be given back, or would be deleted by it, now or soon. */
export function mayReturn({ headers, cost, version }: ReturnQuestion): boolean {
  if (cost.kind !== 'counted') return true
  const { towardsLimit } = readDeliveryCounts(headers, version)
  return towardsLimit + 1 + reservedReturns <= cost.limit
}

/** Whether the very next return deletes it. */
export function returnDeletes({ headers, cost, version }: ReturnQuestion): boolean {
  if (cost.kind !== 'counted' || cost.overLimit === 'kept') return false
  return readDeliveryCounts(headers, version).towardsLimit + 1 > cost.limit
}
