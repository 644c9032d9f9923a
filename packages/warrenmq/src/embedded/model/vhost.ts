import type { Limits } from './access/limits.ts'
import { idOfBinding } from './exchange/binding.ts'
import { createExchange } from './exchange/create-exchange.ts'
import type { Binding, Destination, Exchange } from './exchange/exchange.ts'
import type { ExchangeType } from './exchange/exchange-type.ts'
import { type EffectivePolicy, noPolicy, type Policy, resolvePolicy } from './policy/policies.ts'
import type { Profile } from './profile.ts'
import type { Queue } from './queue/queue.ts'
import { resolveSettings } from './queue/queue-settings.ts'

export interface Vhost {
  readonly name: string
  description: string
  tags: readonly string[]
  defaultQueueType: string | undefined
  readonly exchanges: Map<string, Exchange>
  readonly queues: Map<string, Queue>
  readonly bindings: Map<string, Binding>
  readonly policies: Map<string, Policy>
  readonly operatorPolicies: Map<string, Policy>
  limits: Limits | undefined
}

/** The exchanges that every vhost has from the start. */
const builtIn: readonly (readonly [name: string, type: ExchangeType, isInternal?: boolean])[] = [
  ['', 'direct'],
  ['amq.direct', 'direct'],
  ['amq.fanout', 'fanout'],
  ['amq.headers', 'headers'],
  ['amq.match', 'headers'],
  ['amq.rabbitmq.trace', 'topic', true],
  ['amq.topic', 'topic'],
]

export function createVhost(name: string, profile: Profile): Vhost {
  const exchanges = new Map<string, Exchange>()
  for (const [exchangeName, type, isInternal = false] of builtIn) {
    const declaration = {
      name: exchangeName,
      type,
      isDurable: true,
      isAutoDelete: false,
      isInternal,
      arguments: [],
    }
    exchanges.set(
      exchangeName,
      createExchange(declaration, { comparison: profile.headerComparison, policy: noPolicy }),
    )
  }
  return {
    name,
    description: '',
    tags: [],
    defaultQueueType: profile.addsQueueTypeArgument ? 'classic' : undefined,
    exchanges,
    queues: new Map(),
    bindings: new Map(),
    policies: new Map(),
    operatorPolicies: new Map(),
    limits: undefined,
  }
}

export function addBinding(vhost: Vhost, binding: Binding): void {
  const id = idOfBinding(binding)
  if (vhost.bindings.has(id)) return
  vhost.bindings.set(id, binding)
  binding.source.bindings.add(binding)
  binding.source.bindingCount += 1
}

/** Takes a binding out; an auto-delete exchange goes with its last. */
export function removeBinding(vhost: Vhost, binding: Binding): void {
  if (!vhost.bindings.delete(idOfBinding(binding))) return
  const { source } = binding
  source.bindings.remove(binding)
  source.bindingCount -= 1
  if (source.isAutoDelete && source.bindingCount === 0) removeExchange(vhost, source)
}

export function removeExchange(vhost: Vhost, exchange: Exchange): void {
  if (vhost.exchanges.get(exchange.name) !== exchange) return
  vhost.exchanges.delete(exchange.name)
  for (const binding of [...vhost.bindings.values()]) {
    if (binding.source === exchange) vhost.bindings.delete(idOfBinding(binding))
  }
  removeBindingsTo(vhost, exchange)
}

export function removeBindingsTo(vhost: Vhost, destination: Destination): void {
  for (const binding of [...vhost.bindings.values()]) {
    if (binding.destination === destination) removeBinding(vhost, binding)
  }
}

/** Works out anew what the policies of a vhost mean for what is in it. */
export function applyPolicies(vhost: Vhost, profile: Profile): void {
  for (const exchange of vhost.exchanges.values()) exchange.policy = policyOfExchange(vhost, exchange.name)
  for (const queue of vhost.queues.values()) {
    const policy = policyOfQueue(vhost, queue, profile)
    const settings = resolveSettings(queue, policy.definition, profile.settings)
    const isSame =
      JSON.stringify(policy) === JSON.stringify(queue.policy()) &&
      JSON.stringify(settings) === JSON.stringify(queue.settings())
    if (!isSame) queue.applySettings(settings, policy)
  }
}

export function policyOfExchange(vhost: Vhost, name: string): Exchange['policy'] {
  return resolvePolicy(
    { name, kind: 'exchange', unsupportedKeys: [] },
    { policies: vhost.policies.values(), operatorPolicies: vhost.operatorPolicies.values() },
  )
}

export function policyOfQueue(
  vhost: Vhost,
  { name, kind }: Pick<Queue, 'name' | 'kind'>,
  profile: Profile,
): EffectivePolicy {
  return resolvePolicy(
    { name, kind, unsupportedKeys: profile.unsupportedPolicyKeys[kind] },
    { policies: vhost.policies.values(), operatorPolicies: vhost.operatorPolicies.values() },
  )
}
