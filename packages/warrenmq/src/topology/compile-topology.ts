import { type BrokerCapabilities, brokerCapabilities } from '../message/broker-capabilities.ts'
import { type BrokerVersion, parseBrokerVersion } from '../message/broker-version.ts'
import type {
  CompiledBinding,
  CompiledExchange,
  CompiledQueue,
  CompiledTopology,
  QueueRole,
} from './compiled-topology.ts'
import type {
  Acceptance,
  Arguments,
  PolicyDeclaration,
  QueueDeclaration,
  TopologyDeclaration,
} from './declaration.ts'
import { inferRoles } from './infer-roles.ts'
import { bindingIdentity, isSameValue } from './is-same-value.ts'
import type { LayoutParts, ResolvedQueue } from './layouts/layout.ts'
import { declaredBindings, seedHeaders } from './layouts/layout-queue.ts'
import { layouts } from './layouts/layouts.ts'
import type { LivePolicy } from './live-topology.ts'
import type { OwnDeadLetters, QueueFlow } from './queue-flow.ts'
import { optionsOf, resolveQueue } from './resolve-queue.ts'

/**
 * Spells a declaration out as the exchanges, queues and bindings that one broker version should have.
 * @example
 * ```ts
 * const compiled = compileTopology(topology, { brokerVersion: '4.0' })
 * ```
 */
export function compileTopology(topology: TopologyDeclaration, options: CompileOptions): CompiledTopology {
  const { topology: compiled } = compileWithConflicts(topology, options)
  return compiled
}

/** What a declaration is compiled for. */
export interface CompileOptions {
  /**
   * The version to compile for.
   * @example { brokerVersion: '4.0' }
   */
  readonly brokerVersion: BrokerVersion | string
}

/** Two declarations that make the same thing in two ways. The first one stands in the compiled topology. */
export interface NameConflict {
  readonly kind: 'exchange' | 'queue'
  readonly name: string
}

/** The same for the validator, which reports conflicts instead of trusting that there are none. */
export function compileWithConflicts(
  topology: TopologyDeclaration,
  { brokerVersion }: CompileOptions,
): { readonly topology: CompiledTopology; readonly conflicts: readonly NameConflict[] } {
  const version = typeof brokerVersion === 'string' ? parseBrokerVersion(brokerVersion) : brokerVersion
  const capabilities = brokerCapabilities(version)
  const exchanges = createMerge<CompiledExchange>()
  const queues = createMerge<CompiledQueue>()
  const bindings = new Map<string, CompiledBinding>()
  const flows: QueueFlow[] = []
  const add = (part: LayoutParts) => {
    for (const exchange of part.exchanges) exchanges.add(exchange)
    for (const queue of part.queues) queues.add(queue)
    for (const binding of part.bindings) bindings.set(bindingIdentity(binding), binding)
    if (part.flow !== undefined) flows.push(withDeclared(part.flow, part.queues, capabilities))
  }
  add(declaredParts(topology))
  for (const [name, queue] of Object.entries<QueueDeclaration>(topology.queues)) {
    add(compileQueue(resolveQueue({ topology, name, queue, capabilities }), queue))
  }
  add(compileShared(topology, capabilities))

  return {
    topology: withRoles({
      declaration: topology,
      brokerVersion: version,
      exchanges: [...exchanges.merged.values()],
      queues: [...queues.merged.values()],
      bindings: [...bindings.values()],
      flows,
      publications: topology.publications ?? [],
      policies: (topology.policies ?? []).map(compilePolicy),
      accept: allAcceptances(topology),
    }),
    conflicts: [
      ...[...exchanges.conflicts].map((name) => ({ kind: 'exchange' as const, name })),
      ...[...queues.conflicts].map((name) => ({ kind: 'queue' as const, name })),
    ],
  }
}

function compileQueue(resolved: ResolvedQueue, declared: QueueDeclaration): LayoutParts {
  if (declared.deadLetter === false) return plainQueue(resolved, declared.role ?? 'work')
  return layouts[resolved.options.name].compileQueue(resolved)
}

function compileShared(topology: TopologyDeclaration, capabilities: BrokerCapabilities): LayoutParts {
  const options = optionsOf(topology.layout ?? 'warren')
  const settings = { options, isExact: topology.exact ?? false, capabilities }
  return (
    layouts[options.name].compileShared?.(settings) ?? {
      exchanges: [],
      queues: [],
      bindings: [],
      flow: undefined,
    }
  )
}

function compilePolicy(policy: PolicyDeclaration): LivePolicy {
  const { name, pattern, definition, applyTo = 'all', priority = 0, operator = false } = policy
  return { name, pattern, definition, applyTo, priority, isOperatorPolicy: operator }
}

/** Gives plain queues of which nobody has said what they are for the role that they play. */
function withRoles(topology: CompiledTopology): CompiledTopology {
  const declared = Object.entries<QueueDeclaration>(topology.declaration.queues)
  const plain = declared.filter(([, { deadLetter, role }]) => deadLetter === false && role === undefined)
  if (plain.length === 0) return topology
  const roles = inferRoles(topology, new Set(plain.map(([name]) => name)))
  const queues = topology.queues.map((queue) => {
    const inferred = roles.get(queue.name)
    return inferred === undefined || inferred.role === 'work'
      ? queue
      : { ...queue, ...inferred, isRoleInferred: true }
  })
  return { ...topology, queues }
}

/** A queue on its own: no wait queues, no dead-letter queue. */
function plainQueue(of: ResolvedQueue, role: QueueRole): LayoutParts {
  const { name, type, durable, autoDelete, arguments: args } = of
  const layout = of.options.name
  return {
    exchanges: [],
    queues: [{ name, type, durable, autoDelete, arguments: args, role, owner: name, layout }],
    bindings: declaredBindings(name, of.bind ?? []),
    flow: plainFlow(of),
  }
}

function plainFlow({ name, options, isExact, bind, arguments: args }: ResolvedQueue): QueueFlow {
  const to = ownDeadLetters(args)
  return {
    name,
    queue: name,
    layout: options.name,
    isExact,
    retry: undefined,
    defer: { short: 'hold', tiers: [] },
    park: to && { kind: 'reject', to },
    // What is rejected may come back through wait queues of the user's own; the broker counts that.
    attempts: to
      ? { kind: 'rejections', queue: name, baseHeader: seedHeaders.attempts }
      : { kind: 'header', header: seedHeaders.attempts },
    maxAttempts: 1,
    redrive: { origin: { exchange: '', key: name }, retry: undefined, exchange: bind?.[0]?.exchange },
    waitQueues: [],
    deadLetterQueue: undefined,
    headers: seedHeaders,
  }
}

function withDeclared(
  flow: QueueFlow,
  queues: readonly CompiledQueue[],
  capabilities: BrokerCapabilities,
): QueueFlow {
  const declared = queues.filter(({ role }) => role !== 'dead-letter')
  const limit = declared.find(({ name }) => name === flow.queue)?.arguments['x-delivery-limit']
  return typeof limit === 'number'
    ? { ...flow, declared, deliveryLimit: effectiveDeliveryLimit(limit, capabilities) }
    : { ...flow, declared }
}

function effectiveDeliveryLimit(
  limit: number,
  { supportsUnlimitedDeliveryLimit }: BrokerCapabilities,
): number | false {
  if (limit >= 0) return limit
  // Before 4.0 a negative limit is exceeded by the first return.
  return supportsUnlimitedDeliveryLimit ? false : 0
}

function ownDeadLetters(args: Arguments): OwnDeadLetters | undefined {
  const { 'x-dead-letter-exchange': exchange, 'x-dead-letter-routing-key': key } = args
  if (typeof exchange !== 'string') return undefined
  return { exchange, key: typeof key === 'string' ? key : undefined }
}

function declaredParts(topology: TopologyDeclaration): LayoutParts {
  const [exchanges, bindings] = [declaredExchanges(topology), exchangeBindings(topology)]
  return { exchanges, bindings, queues: [], flow: undefined }
}

function declaredExchanges(topology: TopologyDeclaration): readonly CompiledExchange[] {
  return Object.entries(topology.exchanges ?? {}).map(([name, exchange]) => ({
    name,
    type: exchange.type,
    durable: exchange.durable ?? true,
    autoDelete: exchange.autoDelete ?? false,
    internal: exchange.internal ?? false,
    arguments: {
      ...(exchange.alternateExchange === undefined
        ? {}
        : { 'alternate-exchange': exchange.alternateExchange }),
      ...exchange.arguments,
    },
  }))
}

function exchangeBindings(topology: TopologyDeclaration): readonly CompiledBinding[] {
  return Object.entries(topology.exchanges ?? {}).flatMap(([destination, { bind }]) =>
    declaredBindings(destination, bind ?? []).map((binding) => ({
      ...binding,
      destinationType: 'exchange' as const,
    })),
  )
}

function allAcceptances(topology: TopologyDeclaration): readonly Acceptance[] {
  const ofQueues = Object.entries<QueueDeclaration>(topology.queues).flatMap(([name, { accept }]) =>
    (accept ?? []).map((acceptance) => ({ ...acceptance, queue: name })),
  )
  return [...(topology.accept ?? []), ...ofQueues]
}

/** Each thing once, by its name, and the names of those that are said in two ways. */
function createMerge<Part extends CompiledExchange | CompiledQueue>() {
  const merged = new Map<string, Part>()
  const conflicts = new Set<string>()
  const add = (part: Part) => {
    const first = merged.get(part.name)
    if (first === undefined) merged.set(part.name, part)
    else if (!isSameThing(first, part)) conflicts.add(part.name)
  }
  return { merged, conflicts, add }
}

// Queues that share a wait queue or a DLQ each say it, and each says that it is the owner.
function isSameThing(
  left: CompiledExchange | CompiledQueue,
  right: CompiledExchange | CompiledQueue,
): boolean {
  return isSameValue({ ...left, owner: '' }, { ...right, owner: '' })
}
