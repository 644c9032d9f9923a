import type { ManagedBinding } from '../broker/management/bindings.ts'
import type { ManagedExchange } from '../broker/management/exchanges.ts'
import type { Management } from '../broker/management/open-management.ts'
import type { Policy } from '../broker/management/policies.ts'
import type { ManagedQueue } from '../broker/management/queues.ts'
import { type BrokerCapabilities, brokerCapabilities } from '../message/broker-capabilities.ts'
import { parseBrokerVersion } from '../message/broker-version.ts'
import type { Arguments, QueueType } from '../topology/declaration.ts'
import type {
  LiveBinding,
  LiveExchange,
  LivePolicy,
  LiveQueue,
  LiveTopology,
} from '../topology/live-topology.ts'
import { decideEffectivePolicy } from './decide-effective-policy.ts'

/** What to read of a broker. */
export interface ObserveOptions {
  /**
   * The vhost to read.
   * @example { vhost: '/' }
   */
  readonly vhost: string
  /**
   * Gives up the requests that have no answer yet.
   * @example { signal: AbortSignal.timeout(5_000) }
   */
  readonly signal?: AbortSignal
  /**
   * Also who consumes from each queue. It makes the broker go through the statistics of all of them, which takes it
   * longer than the rest together. @default false: `consumers` is undefined
   * @example { countsConsumers: true }
   */
  readonly countsConsumers?: boolean
}

/**
 * Reads what stands in a vhost. Depths are as old as the broker's statistics: some seconds.
 * @example
 * ```ts
 * const live = await observeTopology(management, { vhost: '/' })
 * ```
 */
export async function observeTopology(
  management: Management,
  options: ObserveOptions,
): Promise<LiveTopology> {
  const { countsConsumers = false } = options
  const [overview, exchanges, queues, bindings, policies, operatorPolicies, consumers] = await Promise.all([
    management.overview(options),
    management.exchanges.list(options),
    management.queues.list(options),
    management.bindings.list(options),
    management.policies.list(options),
    management.operatorPolicies.list(options),
    countsConsumers ? management.queues.countConsumers(options) : undefined,
  ])
  const livePolicies = [
    ...policies.map((policy) => readPolicy(policy, false)),
    ...operatorPolicies.map((policy) => readPolicy(policy, true)),
  ]
  const brokerVersion = parseBrokerVersion(overview.version)
  const capabilities = brokerCapabilities(brokerVersion)
  return {
    brokerVersion,
    exchanges: exchanges.map(readExchange),
    // An exclusive queue belongs to a connection, not to a topology.
    queues: queues
      .filter(({ exclusive }) => !exclusive)
      .map((queue) => ({
        ...readQueue(queue, livePolicies, capabilities),
        consumers: consumers?.get(queue.name),
      })),
    bindings: bindings.map(readBinding),
    policies: livePolicies,
  }
}

function readExchange({
  name,
  type,
  durable,
  autoDelete,
  internal,
  arguments: args,
}: ManagedExchange): LiveExchange {
  return { name, type, durable, autoDelete, internal, arguments: args as Arguments }
}

function readQueue(
  queue: ManagedQueue,
  policies: readonly LivePolicy[],
  capabilities: BrokerCapabilities,
): LiveQueue {
  const { 'x-queue-type': typeArgument, ...args } = queue.arguments as Arguments
  const type = queueType(queue.type ?? typeArgument)
  const { name, policy, durable, autoDelete, messages, messagesUnacknowledged } = queue
  const { operatorPolicy, definition } = decideEffectivePolicy({
    queue: name,
    type,
    policy,
    policies,
    capabilities,
  })
  return {
    name,
    type,
    durable,
    autoDelete,
    arguments: args,
    policy,
    operatorPolicy,
    messages,
    effectivePolicy: definition,
    unacknowledged: messagesUnacknowledged,
  }
}

function queueType(type: unknown): QueueType {
  return type === 'quorum' || type === 'stream' ? type : 'classic'
}

function readBinding({
  source,
  destination,
  destinationType,
  routingKey,
  arguments: args,
}: ManagedBinding): LiveBinding {
  return { source, destination, destinationType, key: routingKey, arguments: args as Arguments }
}

function readPolicy(
  { name, pattern, applyTo, priority, definition }: Policy,
  isOperatorPolicy: boolean,
): LivePolicy {
  return { name, pattern, applyTo, priority, definition: definition as Arguments, isOperatorPolicy }
}
