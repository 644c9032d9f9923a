import type { Binding } from '../broker/management/bindings.ts'
import type { ManagedExchange } from '../broker/management/exchanges.ts'
import type { Management } from '../broker/management/open-management.ts'
import type { Policy } from '../broker/management/policies.ts'
import type { ManagedQueue } from '../broker/management/queues.ts'
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

export interface ObserveOptions {
  readonly vhost: string
  readonly signal?: AbortSignal
}

/** Reads what stands in a vhost. Depths are as old as the broker's statistics: some seconds. */
export async function observeTopology(
  management: Management,
  options: ObserveOptions,
): Promise<LiveTopology> {
  const [overview, exchanges, queues, bindings, policies, operatorPolicies] = await Promise.all([
    management.overview(options),
    management.exchanges.list(options),
    management.queues.list(options),
    management.bindings.list(options),
    management.policies.list(options),
    management.operatorPolicies.list(options),
  ])
  const livePolicies = [
    ...policies.map((policy) => readPolicy(policy, false)),
    ...operatorPolicies.map((policy) => readPolicy(policy, true)),
  ]
  return {
    brokerVersion: parseBrokerVersion(overview.version),
    exchanges: exchanges.map(readExchange),
    // An exclusive queue belongs to a connection, not to a topology.
    queues: queues.filter(({ exclusive }) => !exclusive).map((queue) => readQueue(queue, livePolicies)),
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

function readQueue(queue: ManagedQueue, policies: readonly LivePolicy[]): LiveQueue {
  const { 'x-queue-type': typeArgument, ...args } = queue.arguments as Arguments
  const type = queueType(queue.type ?? typeArgument)
  const { name, policy, durable, autoDelete, messages, consumers } = queue
  const { operatorPolicy, definition } = decideEffectivePolicy({ queue: name, type, policy, policies })
  return {
    ...{ name, type, durable, autoDelete, arguments: args, policy, operatorPolicy, messages, consumers },
    effectivePolicy: definition,
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
}: Binding): LiveBinding {
  return { source, destination, destinationType, key: routingKey, arguments: args as Arguments }
}

function readPolicy(
  { name, pattern, applyTo, priority, definition }: Policy,
  isOperatorPolicy: boolean,
): LivePolicy {
  return { name, pattern, applyTo, priority, definition: definition as Arguments, isOperatorPolicy }
}
