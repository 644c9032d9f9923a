import { type BrokerCapabilities, brokerCapabilities } from '../../message/broker-capabilities.ts'
import { sampleKeys } from '../../message/topic-trie.ts'
import type { CompiledQueue, CompiledTopology } from '../compiled-topology.ts'
import { groupBy, indexBy } from '../group-by.ts'
import { policiesInForce } from '../policies-in-force.ts'
import type { QueueFlow } from '../queue-flow.ts'
import { indexRoutes, type Route, type RouteIndex } from '../route.ts'
import { type DeadLetterHop, type QueueSettings, queueSettings } from './queue-settings.ts'

/** A compiled topology as the proof sees it: queues, and the hops that messages take between them. */
export interface TopologyGraph {
  /** With the arguments that are in force, by the queue or by a policy. */
  readonly topology: CompiledTopology
  /** With the arguments that the queues are declared with. */
  readonly declared: CompiledTopology
  readonly capabilities: BrokerCapabilities
  readonly routes: RouteIndex
  queue(name: string): CompiledQueue | undefined
  settings(name: string): QueueSettings
  flow(queue: string): QueueFlow | undefined
  /** Keys that stand for all with which a message can leave the queue by its dead-letter exchange. */
  hopKeys(queue: string): readonly string[]
  /** Every queue that a dead letter of this one may reach. */
  hopTargets(queue: string): readonly HopTarget[]
  /** Their names alone. */
  hopQueues(queue: string): readonly string[]
  /** The policies by which an argument of a queue is in force; undefined where the queue says it itself. */
  setBy(queue: string, argument: string): string | undefined
  /** How to be rid of an argument that is in force: out of the policy that sets it, or off the queue. */
  removal(queue: string, argument: string): string
}

export interface HopTarget extends Route {
  /** The key or pattern of keys that leads there. */
  readonly key: string
}

/** All that is known of one queue; its hops are found when they are first asked for. */
interface Node {
  readonly queue: CompiledQueue
  readonly settings: QueueSettings
  targets: readonly HopTarget[] | undefined
  targetNames: readonly string[] | undefined
}

export function createGraph(declared: CompiledTopology): TopologyGraph {
  const capabilities = brokerCapabilities(declared.brokerVersion)
  const { topology, setBy } = policiesInForce(declared, capabilities)
  const routes = indexRoutes(topology)
  const nodes = createNodes({ topology, capabilities, routes })
  const flows = indexBy(topology.flows, ({ queue }) => queue)
  const settingsOf = (name: string) => nodes.get(name)?.settings ?? noSettings
  const arrivals = findArrivals({ topology, routes, settingsOf })
  const hopPatterns = (name: string, hop: DeadLetterHop): readonly string[] => {
    if (hop.key !== undefined) return [hop.key]
    return isFanout(routes, hop.exchange) ? [''] : [...(arrivals.get(name) ?? [])]
  }
  const findTargets = (name: string, hop: DeadLetterHop | undefined): readonly HopTarget[] => {
    if (hop === undefined) return []
    return hopPatterns(name, hop).flatMap((key) =>
      mayReach(routes, hop.exchange, key).map(({ queue, via }) => ({ queue, via, key })),
    )
  }
  const hopTargets = (name: string): readonly HopTarget[] => {
    const node = nodes.get(name)
    if (node === undefined) return []
    node.targets ??= findTargets(name, node.settings.deadLetter)
    return node.targets
  }

  return {
    topology,
    declared,
    capabilities,
    routes,
    settings: settingsOf,
    setBy,
    removal: (queue, argument) => {
      const policies = setBy(queue, argument)
      return policies === undefined ? `Remove ${argument}` : `Remove ${argument.slice(2)} from ${policies}`
    },
    queue: (name) => nodes.get(name)?.queue,
    flow: (queue) => flows.get(queue),
    hopKeys: (name) => {
      const hop = settingsOf(name).deadLetter
      return hop === undefined ? [] : keysOf({ hop, routes, patterns: hopPatterns(name, hop) })
    },
    hopTargets,
    hopQueues: (name) => {
      const node = nodes.get(name)
      if (node === undefined) return []
      node.targetNames ??= hopTargets(name).map((target) => target.queue)
      return node.targetNames
    },
  }
}

function createNodes({ topology, capabilities, routes }: NodeSources): ReadonlyMap<string, Node> {
  const expiring = queuesOfExpirations(topology, routes)
  const nodes = new Map<string, Node>()
  for (const queue of topology.queues) {
    const settings = queueSettings({ queue, capabilities, hasExpirations: expiring.has(queue.name) })
    nodes.set(queue.name, { queue, settings, targets: undefined, targetNames: undefined })
  }
  return nodes
}

type NodeSources = Pick<TopologyGraph, 'topology' | 'capabilities' | 'routes'>

const noSettings: QueueSettings = {
  deadLetter: undefined,
  ttlMs: undefined,
  expiresMs: undefined,
  deliveryLimit: undefined,
  hasExpirations: false,
  hasLengthLimit: false,
  overflow: 'drop-head',
  deathReasons: [],
}

// A dead letter loses its expiration, so only the first queue of a publication knows it.
function queuesOfExpirations({ publications }: CompiledTopology, routes: RouteIndex): ReadonlySet<string> {
  const expiring = publications.filter(({ expiration }) => expiration !== undefined)
  return new Set(
    expiring.flatMap(({ exchange, key = '', headers = {} }) =>
      routes.route({ exchange, key, headers }).map(({ queue }) => queue),
    ),
  )
}

function mayReach(routes: RouteIndex, exchange: string, key: string): readonly Route[] {
  return isPattern(key) ? routes.mayRoute(exchange, key) : routes.route({ exchange, key })
}

// A fanout does not look at the key, so any one stands for all.
function isFanout(routes: RouteIndex, exchange: string): boolean {
  return routes.exchangeType(exchange) === 'fanout'
}

function isPattern(key: string): boolean {
  return /[*#]/.test(key) && key.split('.').some((word) => word === '*' || word === '#')
}

function keysOf({
  hop,
  routes,
  patterns,
}: {
  hop: DeadLetterHop
  routes: RouteIndex
  patterns: readonly string[]
}): readonly string[] {
  if (hop.key !== undefined) return [hop.key]
  return [...new Set(patterns.flatMap((pattern) => sampleKeys(pattern, routes.depth())))]
}

/**
 * For queues that dead-letter with the message's own key: the keys, as patterns, with which messages come in. A
 * queue that is reached by a dead letter without a new key also takes on the keys of the queue it came from.
 */
function findArrivals({
  topology,
  routes,
  settingsOf,
}: ArrivalSearch): ReadonlyMap<string, ReadonlySet<string>> {
  const keepsKey = (name: string) => {
    const hop = settingsOf(name).deadLetter
    return hop !== undefined && hop.key === undefined
  }
  const arrivals = new Map<string, Set<string>>()
  const minds = ({ name }: CompiledQueue) =>
    keepsKey(name) && !isFanout(routes, settingsOf(name).deadLetter?.exchange ?? '')
  if (!topology.queues.some(minds)) return arrivals
  const bindings = groupBy(topology.bindings, ({ destination, destinationType }) =>
    destinationType === 'queue' && keepsKey(destination) ? destination : undefined,
  )
  const open: (readonly [queue: string, key: string])[] = []
  const arrive = (queue: string, key: string) => {
    const keys = arrivals.get(queue)
    if (keys === undefined || keys.has(key)) return
    keys.add(key)
    open.push([queue, key])
  }

  for (const { name } of topology.queues) if (keepsKey(name)) arrivals.set(name, new Set())
  for (const name of arrivals.keys()) {
    // Anything can be sent to a queue by its name, and a re-drive is.
    arrive(name, name)
    for (const { source, key } of bindings.get(name) ?? []) arrive(name, arrivalPattern(routes, source, key))
  }
  for (const { name } of topology.queues) {
    const hop = settingsOf(name).deadLetter
    if (hop?.key === undefined) continue
    for (const { queue } of arrivals.size === 0
      ? []
      : routes.route({ exchange: hop.exchange, key: hop.key })) {
      arrive(queue, hop.key)
    }
  }
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const [from, key] = step
    const exchange = settingsOf(from).deadLetter?.exchange ?? ''
    for (const { queue } of mayReach(routes, exchange, key)) arrive(queue, key)
  }
  return arrivals
}

interface ArrivalSearch {
  readonly topology: CompiledTopology
  readonly routes: RouteIndex
  readonly settingsOf: (name: string) => QueueSettings
}

function arrivalPattern(routes: RouteIndex, source: string, key: string): string {
  const type = routes.exchangeType(source)
  return type === 'topic' || type === 'direct' ? key : '#'
}
