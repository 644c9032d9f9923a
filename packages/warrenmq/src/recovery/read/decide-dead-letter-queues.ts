import type { CompiledTopology } from '../../topology/compiled-topology.ts'
import type { LiveQueue, LiveTopology } from '../../topology/live-topology.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import { indexRoutes, type RouteIndex } from '../../topology/route.ts'
import { baseOf, saysDead } from '../../topology/says-dead.ts'
import { isOwnQueue } from './is-own-queue.ts'

/** A queue in which messages end, and how that is known. */
export interface DeadLetterQueue {
  /** Its name. */
  readonly queue: string
  /** `classic`, `quorum` or `stream`, as the broker reports it. */
  readonly type: LiveQueue['type']
  /** Seconds old; undefined if the broker does not say. */
  readonly messages: number | undefined
  /** The queues whose dead letters come here. */
  readonly sources: readonly string[]
  /** The topology declares it as one, other queues dead-letter into it, or only its name says so. */
  readonly knownBy: 'topology' | 'dead-lettering' | 'name'
}

/**
 * Finds the dead-letter queues of a vhost: declared ones, those that queues dead-letter to, and those named so.
 * @example
 * ```ts
 * const queues = decideDeadLetterQueues(await observeTopology(management, { vhost: '/' }))
 * ```
 */
export function decideDeadLetterQueues(
  live: LiveTopology,
  topology?: CompiledTopology | undefined,
): readonly DeadLetterQueue[] {
  const routes = indexRoutes(live)
  const sources = findSources(live, routes)
  const parked = findParked(live, routes)
  const names = new Set(live.queues.map(({ name }) => name))
  const declared = new Set(topology?.flows.flatMap((flow) => parkingQueues(flow, routes)))
  return live.queues.flatMap((queue) => {
    const knownBy = decideKind(queue, {
      declared,
      sources,
      parked,
      names,
      isStation: isStation(queue, routes),
    })
    if (knownBy === undefined) return []
    const { name, type, messages } = queue
    return [{ queue: name, type, messages, sources: sources.get(name) ?? [], knownBy }]
  })
}

/** Where a declared queue parks its messages, by its own address and by the name that it gives. */
export function parkingQueues({ park, deadLetterQueue }: QueueFlow, routes: RouteIndex): readonly string[] {
  const reached = park?.kind === 'publish' ? reachedFrom(routes, park.exchange, park.key) : []
  return deadLetterQueue === undefined ? reached : [deadLetterQueue, ...reached]
}

interface Known {
  readonly declared: ReadonlySet<string>
  readonly sources: ReadonlyMap<string, readonly string[]>
  readonly parked: ReadonlySet<string>
  /** Of all queues. */
  readonly names: ReadonlySet<string>
  /** Its messages move on by themselves. */
  readonly isStation: boolean
}

function decideKind(queue: LiveQueue, known: Known): DeadLetterQueue['knownBy'] | undefined {
  // A user who lets one of their queues dead-letter there does not make it a dead-letter queue.
  if (isOwnQueue(queue.name)) return undefined
  if (known.declared.has(queue.name)) return 'topology'
  if (known.isStation) return undefined
  if (known.sources.has(queue.name)) return 'dead-lettering'
  return isNamedFor(queue.name, known.names) || known.parked.has(queue.name) ? 'name' : undefined
}

/**
 * A queue that dead-letters on by itself is a station on the way, such as a wait queue or the work queue that a wait
 * queue returns to. One that only has a net for what is over its delivery limit is not: its messages stay.
 */
function isStation(queue: LiveQueue, routes: RouteIndex): boolean {
  if (setting(queue, 'dead-letter-exchange') === undefined) return false
  const targets = deadLetterTargets(queue, routes)
  return targets.length === 0 || !targets.every((name) => name === `${queue.name}${overLimitSuffix}`)
}

/** How `decideLook` names the net that it advises. */
const overLimitSuffix = '.over-limit'

/** Also a plainer name, such as `orders.error`, if there is a queue `orders`. */
function isNamedFor(name: string, names: ReadonlySet<string>): boolean {
  return isNamedSo(name) || (saysDead(name) && baseOf(name, names) !== undefined)
}

function isNamedSo(name: string): boolean {
  return /(^|[._-])(dlq|dlx|dead-?letters?|parking|parked|over-limit)$/i.test(name)
}

/** Queues behind exchanges that are named for parking: a program that parks by publishing sets no argument. */
function findParked(live: LiveTopology, routes: RouteIndex): ReadonlySet<string> {
  const exchanges = live.exchanges.filter(({ name }) => isNamedSo(name))
  return new Set(exchanges.flatMap(({ name }) => reachedFrom(routes, name, undefined)))
}

function reachedFrom(routes: RouteIndex, exchange: string, key: string | undefined): readonly string[] {
  const reached = key === undefined ? routes.mayRoute(exchange, '#') : routes.route({ exchange, key })
  return reached.map(({ queue }) => queue)
}

function findSources(live: LiveTopology, routes: RouteIndex): ReadonlyMap<string, readonly string[]> {
  const sources = new Map<string, string[]>()
  for (const queue of live.queues) {
    for (const target of deadLetterTargets(queue, routes)) {
      sources.set(target, [...(sources.get(target) ?? []), queue.name])
    }
  }
  return sources
}

/** The queues that take what dies in a queue, by its arguments and its policy. */
export function deadLetterTargets(queue: LiveQueue, routes: RouteIndex): readonly string[] {
  const exchange = setting(queue, 'dead-letter-exchange')
  if (typeof exchange !== 'string') return []
  const key = setting(queue, 'dead-letter-routing-key')
  const reached =
    typeof key === 'string'
      ? routes.route({ exchange, key })
      : routes.mayRoute(exchange, ownKey(exchange, queue))
  return reached.map(({ queue: name }) => name)
}

// A message keeps its own key, which can be anything; only the default exchange takes it for a queue's name.
function ownKey(exchange: string, queue: LiveQueue): string {
  return exchange === '' ? queue.name : '#'
}

function setting({ arguments: args, effectivePolicy }: LiveQueue, key: string): unknown {
  return args[`x-${key}`] ?? effectivePolicy?.[key]
}
