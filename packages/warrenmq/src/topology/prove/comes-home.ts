import type { QueueFlow } from '../queue-flow.ts'
import { addressStep, type BrokenProperty, bindingSteps } from './finding.ts'
import type { TopologyGraph } from './topology-graph.ts'

/** A retried message returns to its own queue and to no other consumer. */
export function* proveComesHome(graph: TopologyGraph): Generator<Broken> {
  for (const flow of graph.topology.flows) {
    if (flow.retry !== undefined && !comesStraightHome(graph, flow)) yield* proveFlow(graph, flow)
  }
}

// The usual case, worth a look of its own when there are many thousand: one wait queue that leads back and nowhere else.
function comesStraightHome(graph: TopologyGraph, { queue, retry }: QueueFlow): boolean {
  const leadsBack = (waits: readonly string[]) => {
    const [wait] = waits
    if (wait === undefined || waits.length > 1 || !isWaiting(graph, wait)) return false
    const back = graph.hopQueues(wait)
    return back.length === 1 && back[0] === queue
  }
  if (isWaiting(graph, queue)) return false
  if (retry?.kind !== 'publish') return leadsBack(graph.hopQueues(queue))
  return retry.tiers.every((tier) => leadsBack(graph.routes.route(tier).map((route) => route.queue)))
}

type Broken = BrokenProperty<'comes-home'>

function* proveFlow(graph: TopologyGraph, flow: QueueFlow): Generator<Broken> {
  const reported = new Set<string>()
  for (const start of startsOf(graph, flow)) {
    const ends = [...followToEnds(graph, start)]
    if (!ends.some(({ queue }) => queue === flow.queue)) {
      const [end] = ends
      yield {
        code: 'never-returns',
        queue: flow.queue,
        path: end?.path() ?? [...start.path, 'no queue'],
        problem: 'A retried message does not come back to the queue it failed in.',
        wayOut: 'Bind the queue with the key that messages have when they return from the wait queue.',
      }
    }
    for (const { queue, path } of ends) {
      if (queue === flow.queue || reported.has(queue)) continue
      reported.add(queue)
      yield {
        code: 'seen-by-others',
        queue: flow.queue,
        path: path(),
        problem: `Each retry of "${flow.queue}" is also delivered to "${queue}", which did not fail.`,
        wayOut:
          'Narrow the binding of the other queue, or use a layout that returns through the default exchange.',
      }
    }
  }
}

/** A queue on the way. Its path is put in words only for the few that are reported. */
interface Stop {
  readonly queue: string
  path(): readonly string[]
}

interface Start {
  readonly stops: readonly Stop[]
  readonly path: readonly string[]
}

function startsOf(graph: TopologyGraph, { queue, retry }: QueueFlow): readonly Start[] {
  if (retry === undefined) return []
  if (retry.kind === 'reject') {
    const stops = hopStops(graph, { queue, path: () => [queue] }, 'rejected')
    return [{ path: [queue, 'rejected'], stops }]
  }
  return retry.tiers.map(({ exchange, key }) => {
    const path = [queue, 'retry', addressStep(exchange, key)]
    const routes = graph.routes.route({ exchange, key })
    return {
      path,
      stops: routes.map((route) => ({ queue: route.queue, path: () => [...path, route.queue] })),
    }
  })
}

/** Follows waiting messages until they reach a queue that somebody consumes or that keeps them. */
function* followToEnds(graph: TopologyGraph, { stops }: Start): Generator<Stop> {
  const visited = new Set<string>()
  const open = [...stops]
  for (let stop = open.shift(); stop !== undefined; stop = open.shift()) {
    if (visited.has(stop.queue)) continue
    visited.add(stop.queue)
    if (isWaiting(graph, stop.queue)) open.push(...hopStops(graph, stop, 'expired'))
    else yield stop
  }
}

function isWaiting(graph: TopologyGraph, queue: string): boolean {
  const { ttlMs, deadLetter } = graph.settings(queue)
  return ttlMs !== undefined && deadLetter !== undefined && graph.queue(queue)?.role === 'wait'
}

function hopStops(graph: TopologyGraph, { queue, path }: Stop, reason: string): readonly Stop[] {
  const exchange = graph.settings(queue).deadLetter?.exchange ?? ''
  return graph.hopTargets(queue).map((target) => ({
    queue: target.queue,
    path: () => [
      ...path(),
      reason,
      addressStep(exchange, target.key),
      ...bindingSteps(target.via),
      target.queue,
    ],
  }))
}
