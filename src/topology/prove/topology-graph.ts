import { type BrokerCapabilities, brokerCapabilities } from '../../message/broker-capabilities.ts'
import type { CompiledQueue, CompiledTopology } from '../compiled-topology.ts'
import { groupBy } from '../group-by.ts'
import type { QueueFlow } from '../queue-flow.ts'
import { indexRoutes, type Route, type RouteIndex } from '../route.ts'
import { sampleKeys } from '../topic-trie.ts'
import { type QueueSettings, queueSettings } from './queue-settings.ts'

/** A compiled topology as the proof sees it: queues, and the hops that messages take between them. */
export interface TopologyGraph {
  readonly topology: CompiledTopology
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
}

export interface HopTarget extends Route {
  /** The key or pattern of keys that leads there. */
  readonly key: string
}

export function createGraph(topology: CompiledTopology): TopologyGraph {
  const capabilities = brokerCapabilities(topology.brokerVersion)
  const routes = indexRoutes(topology)
  const queues = new Map(topology.queues.map((queue) => [queue.name, queue]))
  const expiring = queuesOfExpirations(topology, routes)
  const settings = new Map(
    topology.queues.map((queue) => [
      queue.name,
      queueSettings({ queue, capabilities, hasExpirations: expiring.has(queue.name) }),
    ]),
  )
  const flows = new Map(topology.flows.map((flow) => [flow.queue, flow]))
  const settingsOf = (name: string) => settings.get(name) ?? noSettings
  const arrivals = findArrivals({ topology, routes, settingsOf })
  const hopPatterns = (name: string): readonly string[] => {
    const hop = settingsOf(name).deadLetter
    if (hop === undefined) return []
    if (hop.key !== undefined) return [hop.key]
    return isFanout(routes, hop.exchange) ? [''] : [...(arrivals.get(name) ?? [])]
  }
  // Several properties ask for the same hops.
  const targets = new Map<string, readonly HopTarget[]>()
  const targetsOf = (name: string) => {
    const exchange = settingsOf(name).deadLetter?.exchange
    if (exchange === undefined) return []
    return hopPatterns(name).flatMap((key) =>
      mayReach(routes, exchange, key).map((route) => ({ ...route, key })),
    )
  }
  const hopTargets = (name: string) => {
    const known = targets.get(name)
    if (known !== undefined) return known
    const found = targetsOf(name)
    targets.set(name, found)
    return found
  }
  const targetNames = new Map<string, readonly string[]>()

  return {
    ...{ topology, capabilities, routes, settings: settingsOf },
    queue: (name) => queues.get(name),
    flow: (queue) => flows.get(queue),
    hopKeys: (name) => keysOf({ hop: settingsOf(name).deadLetter, routes, patterns: hopPatterns(name) }),
    hopTargets,
    hopQueues: (name) => {
      const known = targetNames.get(name)
      if (known !== undefined) return known
      const names = hopTargets(name).map((target) => target.queue)
      targetNames.set(name, names)
      return names
    },
  }
}

const noSettings: QueueSettings = {
  ...{ deadLetter: undefined, ttlMs: undefined, expiresMs: undefined, deliveryLimit: undefined },
  ...{ hasExpirations: false, hasLengthLimit: false, overflow: 'drop-head', deathReasons: [] },
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
  return key.split('.').some((word) => word === '*' || word === '#')
}

function keysOf({
  hop,
  routes,
  patterns,
}: {
  hop: QueueSettings['deadLetter']
  routes: RouteIndex
  patterns: readonly string[]
}): readonly string[] {
  if (hop === undefined) return []
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
