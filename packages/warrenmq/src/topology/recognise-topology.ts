import { parseBrokerVersion } from '../message/broker-version.ts'
import { compileTopology } from './compile-topology.ts'
import type { CompiledTopology } from './compiled-topology.ts'
import type {
  Arguments,
  BindingDeclaration,
  ExchangeDeclaration,
  ExchangeType,
  PolicyDeclaration,
  QueueDeclaration,
  TopologyDeclaration,
} from './declaration.ts'
import { bindingIdentity, isSameValue } from './is-same-value.ts'
import type { Layout, LayoutGuess } from './layouts/layout.ts'
import { layoutNames } from './layouts/layout-names.ts'
import { layouts } from './layouts/layouts.ts'
import {
  indexLive,
  type LiveIndex,
  type LivePolicy,
  type LiveQueue,
  type LiveTopology,
} from './live-topology.ts'
import type { QueueFlow } from './queue-flow.ts'

/** A declaration made from what stands on a broker, and which of its queues follow a layout. */
export interface Recognised {
  /** A declaration that makes the same queues, exchanges and bindings. */
  readonly topology: TopologyDeclaration
  /** The queues that follow a layout. */
  readonly queues: readonly RecognisedQueue[]
  /** Queues that follow no layout and were declared as they are. */
  readonly plainQueues: readonly string[]
}

/** A queue on a broker that follows a layout. */
export interface RecognisedQueue {
  /** Its name in the declaration. */
  readonly name: string
  /** The layout that it follows. */
  readonly layout: (typeof layoutNames)[number]
  /** It is as the document of the layout has it, without Warren's hardening. */
  readonly isExact: boolean
}

/**
 * Writes a declaration for a live broker. A layout is recognised by trying it: its names suggest a declaration,
 * and what that compiles to must stand on the broker.
 * @example
 * ```ts
 * const { topology, plainQueues } = recogniseTopology(live)
 * ```
 */
export function recogniseTopology(live: LiveTopology): Recognised {
  const index = indexLive(live)
  const matches = matchQueues(live, index)
  const covered = new Set(matches.flatMap(({ compiled }) => compiled.queues.map(({ name }) => name)))
  const plain = live.queues.filter(({ name }) => !covered.has(name))
  const made = new Set(matches.flatMap(({ compiled }) => compiled.exchanges.map(({ name }) => name)))
  const exchanges = live.exchanges.filter(
    ({ name }) => name !== '' && !name.startsWith('amq.') && !made.has(name),
  )
  const common = mostCommon(matches)
  const queues = [
    ...matches.map((match) => [match.name, declareMatch(match, common)] as const),
    ...plain.map((queue) => [queue.name, declarePlain(queue, index)] as const),
  ]
  const policies = live.policies.filter(({ applyTo }) => applyTo !== 'exchanges')
  const topology: TopologyDeclaration = {
    ...(common === undefined ? {} : { layout: common.layout, ...(common.exact ? { exact: true } : {}) }),
    exchanges: Object.fromEntries(
      exchanges.map((exchange) => [exchange.name, declareExchange(exchange, live)]),
    ),
    queues: Object.fromEntries(queues),
    ...(policies.length === 0 ? {} : { policies: policies.map(declarePolicy) }),
  }
  return {
    topology: withKnownRoles(topology, live),
    queues: matches.map(({ name, options, exact }) => ({ name, layout: options.name, isExact: exact })),
    plainQueues: plain.map(({ name }) => name),
  }
}

/** How messages of those queues are retried and parked that follow a layout. */
export function recogniseFlows(live: LiveTopology): readonly QueueFlow[] {
  return matchQueues(live, indexLive(live)).flatMap(({ compiled }) => compiled.flows)
}

function matchQueues(live: LiveTopology, index: LiveIndex): readonly Match[] {
  return live.queues.flatMap((queue) => recogniseQueue({ queue, live, index }))
}

interface Match {
  readonly name: string
  readonly options: LayoutGuess['options']
  readonly exact: boolean
  readonly declaration: QueueDeclaration
  readonly compiled: CompiledTopology
}

function recogniseQueue({
  queue,
  live,
  index,
}: {
  queue: LiveQueue
  live: LiveTopology
  index: LiveIndex
}): readonly Match[] {
  for (const layoutName of layoutNames) {
    const layout = layouts[layoutName]
    const guess = layout.guessDeclaration(queue.name, index)
    if (guess === undefined) continue
    for (const exact of formsOf(layout, queue)) {
      const match = tryGuess({ guess, exact, queue, live, index })
      if (match !== undefined) return [match]
    }
  }
  return []
}

// The form whose type the queue has comes first: it can be declared without saying the type.
function formsOf({ hasExactForm, exactType }: Layout, { type }: LiveQueue): readonly boolean[] {
  if (!hasExactForm) return [false]
  return type !== 'quorum' && type === exactType ? [true, false] : [false, true]
}

// A queue that was hardened before an upgrade lacks what only the newer version adds; it is still hardened.
function tryGuess({ guess, exact, queue, live, index }: Guessed): Match | undefined {
  for (const brokerVersion of [live.brokerVersion, parseBrokerVersion('3.10')]) {
    const compile = (declaration: QueueDeclaration) =>
      compileTopology(
        { layout: guess.options, exact, queues: { [guess.name]: declaration } },
        { brokerVersion },
      )
    const declaration = declareGuess({ guess, queue, index, exact })
    const compiled = compile(declaration)
    const extra = extraArguments(compiled, queue)
    if (extra === undefined || !stands(compiled, index, queue.name)) continue
    const shortest = leaveOutDefaults(declaration, compile)
    const withExtra = Object.keys(extra).length === 0 ? shortest : { ...shortest, arguments: extra }
    return { name: guess.name, options: guess.options, exact, declaration: withExtra, compiled }
  }
  return undefined
}

/** Drops what the layout would have done anyway. */
function leaveOutDefaults(
  declaration: QueueDeclaration,
  compile: (declaration: QueueDeclaration) => CompiledTopology,
): QueueDeclaration {
  const wanted = sortedBindings(compile(declaration))
  let shortest = declaration
  for (const setting of ['domain', 'bind'] as const) {
    const { [setting]: _left, ...rest } = shortest
    if (isSameValue(sortedBindings(compile(rest)), wanted)) shortest = rest
  }
  return shortest
}

function sortedBindings({ bindings }: CompiledTopology): readonly string[] {
  return bindings.map(bindingIdentity).sort()
}

interface Guessed {
  readonly guess: LayoutGuess
  readonly exact: boolean
  readonly queue: LiveQueue
  readonly live: LiveTopology
  readonly index: LiveIndex
}

function declareGuess({ guess, queue, index, exact }: Omit<Guessed, 'live'>): QueueDeclaration {
  const layout = layouts[guess.options.name]
  const isUsual = isSameValue(guess.delaysMs, layout.defaultDelaysMs)
  const limit = queue.arguments['x-delivery-limit']
  const usualType = exact ? layout.exactType : 'quorum'
  const bind = declareBindings(queue.name, index)
  return {
    ...(bind.length === 0 ? {} : { bind }),
    ...(guess.domain === undefined ? {} : { domain: guess.domain }),
    ...(queue.type === usualType ? {} : { type: queue.type }),
    ...(layout.settings.includes('poisonLimit') && typeof limit === 'number' && limit !== 20
      ? { poisonLimit: limit }
      : {}),
    ...(guess.delaysMs.length === 0
      ? { retry: false }
      : isUsual
        ? {}
        : { retry: { delays: guess.delaysMs } }),
  }
}

/** Arguments that the live work queue has beyond those of the layout; undefined where one contradicts it. */
function extraArguments(compiled: CompiledTopology, live: LiveQueue): Arguments | undefined {
  const work = compiled.queues.find(({ name }) => name === live.name)
  if (work === undefined || work.type !== live.type) return undefined
  const isKept = Object.entries(work.arguments).every(([name, value]) =>
    isSameValue(live.arguments[name], value),
  )
  if (!isKept) return undefined
  return Object.fromEntries(
    Object.entries(live.arguments).filter(([name]) => !Object.hasOwn(work.arguments, name)),
  )
}

/** Whether everything else that a guess compiles to is on the broker as it compiles. */
function stands(
  { exchanges, queues, bindings }: CompiledTopology,
  index: LiveIndex,
  workQueue: string,
): boolean {
  return (
    queues.every((queue) => queue.name === workQueue || isSameQueue(queue, index.queue(queue.name))) &&
    exchanges.every(({ name, type }) => index.exchange(name)?.type === type) &&
    bindings.every((binding) =>
      index.bindingsTo(binding.destination).some((each) => isSameBinding(each, binding)),
    )
  )
}

function isSameBinding(
  left: Parameters<typeof bindingIdentity>[0],
  right: Parameters<typeof bindingIdentity>[0],
): boolean {
  return bindingIdentity(left) === bindingIdentity(right)
}

function isSameQueue(wanted: { type: string; arguments: Arguments }, live: LiveQueue | undefined): boolean {
  return live?.type === wanted.type && isSameValue(live.arguments, wanted.arguments)
}

function declareMatch(
  { declaration, options, exact }: Match,
  common: CommonLayout | undefined,
): QueueDeclaration {
  const isCommon = isSameValue(options, common?.options)
  return {
    ...(isCommon ? {} : { layout: Object.keys(options).length === 1 ? options.name : options }),
    ...(exact === (common?.exact ?? false) ? {} : { exact }),
    ...declaration,
  }
}

interface CommonLayout {
  readonly options: LayoutGuess['options']
  readonly layout: TopologyDeclaration['layout'] & {}
  readonly exact: boolean
}

/** The layout that most queues follow becomes the topology's, so that few queues have to say theirs. */
function mostCommon(matches: readonly Match[]): CommonLayout | undefined {
  const counts = new Map<string, { match: Match; count: number }>()
  for (const match of matches) {
    const identity = JSON.stringify([match.options, match.exact])
    counts.set(identity, { match, count: (counts.get(identity)?.count ?? 0) + 1 })
  }
  const [first] = [...counts.values()].sort((left, right) => right.count - left.count)
  if (first === undefined) return undefined
  const { options, exact } = first.match
  return { options, exact, layout: Object.keys(options).length === 1 ? options.name : options }
}

function declarePlain(
  { name, type, durable, autoDelete, arguments: args }: LiveQueue,
  index: LiveIndex,
): QueueDeclaration {
  const bind = declareBindings(name, index)
  return {
    ...(bind.length === 0 ? {} : { bind }),
    type,
    deadLetter: false,
    ...(durable ? {} : { durable }),
    ...(autoDelete ? { autoDelete } : {}),
    ...(Object.keys(args).length === 0 ? {} : { arguments: args }),
  }
}

function declarePolicy(policy: LivePolicy): PolicyDeclaration {
  const { name, pattern, applyTo, priority, definition, isOperatorPolicy } = policy
  return {
    name,
    pattern,
    ...(applyTo === 'all' ? {} : { applyTo }),
    ...(priority === 0 ? {} : { priority }),
    definition,
    ...(isOperatorPolicy ? { operator: true } : {}),
  }
}

/** Says of a queue that somebody consumes, and that looks as if nobody did, that it is worked on. */
function withKnownRoles(topology: TopologyDeclaration, live: LiveTopology): TopologyDeclaration {
  const consumed = new Set(live.queues.filter(({ consumers = 0 }) => consumers > 0).map(({ name }) => name))
  if (consumed.size === 0) return topology
  const { queues } = compileTopology(topology, { brokerVersion: live.brokerVersion })
  const mistaken = queues.filter(({ name, isRoleInferred }) => isRoleInferred === true && consumed.has(name))
  const said = mistaken.map(({ name }) => [name, { ...topology.queues[name], role: 'work' as const }])
  return { ...topology, queues: { ...topology.queues, ...Object.fromEntries(said) } }
}

function declareBindings(queue: string, index: LiveIndex): readonly BindingDeclaration[] {
  return index.bindingsTo(queue).map(({ source, key, arguments: args }) => ({
    exchange: source,
    ...(key === '' ? {} : { key }),
    ...(Object.keys(args).length === 0 ? {} : { arguments: args }),
  }))
}

function declareExchange(
  exchange: LiveTopology['exchanges'][number],
  live: LiveTopology,
): ExchangeDeclaration {
  const { name, type, durable, autoDelete, internal, arguments: args } = exchange
  const bind = live.bindings
    .filter(({ destination, destinationType }) => destinationType === 'exchange' && destination === name)
    .map(({ source, key, arguments: ofBinding }) => ({
      exchange: source,
      ...(key === '' ? {} : { key }),
      ...(Object.keys(ofBinding).length === 0 ? {} : { arguments: ofBinding }),
    }))
  return {
    type: type as ExchangeType, // the broker knows what its plugins add
    ...(durable ? {} : { durable }),
    ...(autoDelete ? { autoDelete } : {}),
    ...(internal ? { internal } : {}),
    ...(bind.length === 0 ? {} : { bind }),
    ...(Object.keys(args).length === 0 ? {} : { arguments: args }),
  }
}
