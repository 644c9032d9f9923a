import { type BrokerCapabilities, brokerCapabilities } from '../message/broker-capabilities.ts'
import type {
  CompiledBinding,
  CompiledExchange,
  CompiledQueue,
  CompiledTopology,
} from './compiled-topology.ts'
import type { ArgumentValue } from './declaration.ts'
import { effectiveValue, type PolicyConflict, policyArguments, policyConsequence } from './effective-value.ts'
import { indexBy } from './group-by.ts'
import { bindingIdentity, isSameValue } from './is-same-value.ts'
import { knownArguments } from './known-arguments.ts'
import {
  type LiveBinding,
  type LiveExchange,
  type LiveQueue,
  type LiveTopology,
  tierPrefix,
} from './live-topology.ts'
import { policiesInForce } from './policies-in-force.ts'

/** Where a live broker is not what the topology says. */
export interface TopologyDifference {
  readonly missingExchanges: readonly CompiledExchange[]
  readonly missingQueues: readonly CompiledQueue[]
  readonly missingBindings: readonly CompiledBinding[]
  readonly changedExchanges: readonly ChangedThing<CompiledExchange, LiveExchange>[]
  readonly changedQueues: readonly ChangedThing<CompiledQueue, LiveQueue>[]
  /** Between an exchange and a queue that are both declared, and not declared itself. */
  readonly staleBindings: readonly LiveBinding[]
  /** Wait queues of a declared queue for delays that it no longer has. */
  readonly leftovers: readonly LeftoverQueue[]
  /** Bindings from exchanges that are not declared here to queues that are. */
  readonly foreignBindings: readonly LiveBinding[]
  readonly policyConflicts: readonly PolicyConflict[]
}

export interface LeftoverQueue {
  readonly queue: LiveQueue
  /** The queue on the broker to which its messages return. */
  readonly of: string
}

export interface ChangedThing<Wanted, Live> {
  readonly wanted: Wanted
  readonly live: Live
  readonly changes: readonly SettingChange[]
}

/** A setting that the topology and the broker have different values for. */
export interface SettingChange {
  /** `type`, `durable`, `autoDelete`, `internal`, or the name of an argument. */
  readonly setting: string
  /** What the topology says. */
  readonly wanted: ArgumentValue | undefined
  /** What the broker has. */
  readonly live: ArgumentValue | undefined
}

/** Compares what should be with what is. Costs one look at each thing on either side. */
export function diffTopology(wanted: CompiledTopology, live: LiveTopology): TopologyDifference {
  const capabilities = brokerCapabilities(live.brokerVersion)
  const liveExchanges = indexBy(live.exchanges, ({ name }) => name)
  const liveQueues = indexBy(live.queues, ({ name }) => name)
  const liveBindings = new Set(live.bindings.map(bindingIdentity))
  const wantedBindings = wanted.bindings.map(bindingIdentity)

  return {
    missingExchanges: wanted.exchanges.filter(({ name }) => !liveExchanges.has(name)),
    missingQueues: wanted.queues.filter(({ name }) => !liveQueues.has(name)),
    missingBindings: wanted.bindings.filter((_, index) => !liveBindings.has(wantedBindings[index] ?? '')),
    changedExchanges: changedThings(wanted.exchanges, liveExchanges, exchangeChanges),
    changedQueues: changedThings(wanted.queues, liveQueues, (queue, liveQueue) =>
      queueChanges({ wanted: queue, live: liveQueue, capabilities }),
    ),
    ...extraBindings({ wanted, live, identities: new Set(wantedBindings) }),
    leftovers: leftoverQueues(wanted, live),
    policyConflicts: policyConflicts({
      // What the topology itself says of policies is no surprise.
      wanted: policiesInForce(wanted, capabilities).topology,
      liveQueues,
      capabilities,
    }),
  }
}

function changedThings<Wanted extends { name: string }, Live>(
  wanted: readonly Wanted[],
  live: ReadonlyMap<string, Live>,
  compare: (wanted: Wanted, live: Live) => readonly SettingChange[],
): readonly ChangedThing<Wanted, Live>[] {
  return wanted.flatMap((thing) => {
    const liveThing = live.get(thing.name)
    if (liveThing === undefined) return []
    const changes = compare(thing, liveThing)
    return changes.length === 0 ? [] : [{ wanted: thing, live: liveThing, changes }]
  })
}

function exchangeChanges(wanted: CompiledExchange, live: LiveExchange): readonly SettingChange[] {
  return [
    ...changesOf(wanted, live, ['type', 'durable', 'autoDelete', 'internal']),
    ...changesOf(wanted.arguments, live.arguments, namesOf(wanted.arguments, live.arguments)),
  ]
}

function queueChanges({ wanted, live, capabilities }: QueuePair): readonly SettingChange[] {
  const ofQueue = changesOf(wanted, live, ['type', 'durable', 'autoDelete'])
  if (isSameValue(wanted.arguments, live.arguments)) return ofQueue
  // The broker compares only the arguments that it knows; the rest have no effect and cannot be in the way.
  const names = namesOf(wanted.arguments, live.arguments).filter((name) =>
    Object.hasOwn(knownArguments, name),
  )
  const unmet = names.filter((name) => !isMetByPolicy({ name, wanted, live, capabilities }))
  return [...ofQueue, ...changesOf(wanted.arguments, live.arguments, unmet)]
}

interface QueuePair {
  readonly wanted: CompiledQueue
  readonly live: LiveQueue
  readonly capabilities: BrokerCapabilities
}

// An argument cannot be added to a queue, but a policy can say the same, and then nothing is missing.
function isMetByPolicy({ name, wanted, live, capabilities }: QueuePair & { name: string }): boolean {
  if (wanted.arguments[name] === undefined || live.arguments[name] !== undefined) return false
  const policy = live.effectivePolicy?.[name.slice(2)]
  const effective = effectiveValue({ argument: name, own: undefined, policy, type: live.type, capabilities })
  return isSameValue(effective, wanted.arguments[name])
}

function changesOf(wanted: object, live: object, settings: readonly string[]): readonly SettingChange[] {
  const of = (thing: object, setting: string) =>
    (thing as Readonly<Record<string, ArgumentValue | undefined>>)[setting]
  return settings
    .filter((setting) => !isSameValue(of(wanted, setting), of(live, setting)))
    .map((setting) => ({ setting, wanted: of(wanted, setting), live: of(live, setting) }))
}

function namesOf(left: object, right: object): readonly string[] {
  return [...new Set([...Object.keys(left), ...Object.keys(right)])]
}

function extraBindings({ wanted, live, identities }: BindingCheck) {
  const exchanges = new Set(wanted.exchanges.map(({ name }) => name))
  const queues = new Set(wanted.queues.map(({ name }) => name))
  const extra = live.bindings.filter(({ source, destination, destinationType }) => {
    // Every queue is bound to the default exchange by its name; that is not for us to manage.
    if (source === '') return false
    return destinationType === 'queue' ? queues.has(destination) : exchanges.has(destination)
  })
  const undeclared = extra.filter((binding) => !identities.has(bindingIdentity(binding)))
  return {
    staleBindings: undeclared.filter(({ source }) => exchanges.has(source)),
    foreignBindings: undeclared.filter(({ source }) => !exchanges.has(source)),
  }
}

interface BindingCheck {
  readonly wanted: CompiledTopology
  readonly live: LiveTopology
  /** Of the bindings that are wanted. */
  readonly identities: ReadonlySet<string>
}

function leftoverQueues(wanted: CompiledTopology, live: LiveTopology): readonly LeftoverQueue[] {
  const declared = new Set(wanted.queues.map(({ name }) => name))
  const undeclared = live.queues.filter(({ name }) => !declared.has(name))
  if (undeclared.length === 0) return []
  const owners = new Map<string | undefined, string>(
    wanted.flows.flatMap(({ queue, waitQueues }) =>
      [`${queue}.retry.`, ...waitQueues.map(tierPrefix)].map((prefix) => [prefix, queue] as const),
    ),
  )
  return undeclared.flatMap((queue) => {
    const { name, arguments: args } = queue
    const isWaitQueue = args['x-message-ttl'] !== undefined && args['x-dead-letter-exchange'] !== undefined
    const of = owners.get(tierPrefix(name) ?? '')
    return isWaitQueue && of !== undefined ? [{ queue, of }] : []
  })
}

function policyConflicts({ wanted, liveQueues, capabilities }: PolicyCheck): readonly PolicyConflict[] {
  return wanted.queues.flatMap((queue) => {
    const live = liveQueues.get(queue.name)
    const definition = live?.effectivePolicy
    if (live === undefined || definition === undefined) return []
    return policyArguments(definition).flatMap((argument) => {
      const own = live.arguments[argument]
      const policy = definition[argument.slice(2)]
      const effective = effectiveValue({ argument, own, policy, type: live.type, capabilities })
      const asWanted = queue.arguments[argument]
      if (effective === undefined || isSameValue(effective, asWanted)) return []
      // A difference between argument and declaration is a change of its own, whatever the policy says.
      if (isSameValue(effective, own)) return []
      return [
        {
          queue: queue.name,
          policies: [live.policy, live.operatorPolicy].filter((name) => name !== undefined),
          key: argument.slice(2),
          wanted: asWanted,
          effective,
          consequence: policyConsequence({ argument, effective, hasDeadLetters: deadLetters(live) }),
        },
      ]
    })
  })
}

function deadLetters({ arguments: args, effectivePolicy }: LiveQueue): boolean {
  return (
    args['x-dead-letter-exchange'] !== undefined || effectivePolicy?.['dead-letter-exchange'] !== undefined
  )
}

interface PolicyCheck {
  readonly wanted: CompiledTopology
  readonly liveQueues: ReadonlyMap<string, LiveQueue>
  readonly capabilities: BrokerCapabilities
}
