import { cycleThrough, findLoops } from './find-loops.ts'
import type { DeathReason } from './queue-settings.ts'
import type { TopologyGraph } from './topology-graph.ts'

/** One queue on the way round, and why a message leaves it. */
export interface CycleHop {
  readonly queue: string
  readonly reason: DeathReason
}

/**
 * Rounds with a rejection that RabbitMQ before 3.13 cuts all the same. It reads the history from the `x-death` header,
 * whose entries get out of order from the third on, and so it can look past the rejection.
 */
export function* findMisjudgedCycles(graph: TopologyGraph): Generator<readonly CycleHop[]> {
  if (graph.capabilities.cycleHistory !== 'x-death-header') return
  const next = (queue: string) =>
    graph.settings(queue).deathReasons.length === 0 ? [] : graph.hopQueues(queue)
  const names = graph.topology.queues.map(({ name }) => name)
  for (const loop of findLoops(names, next).filter(({ length }) => length > 2)) {
    for (const queue of loop) {
      const hops = cycleThrough(queue, loop, next).map((name) => ({
        queue: name,
        reason: reasonAt(graph, name),
      }))
      if (hops.some(isRejected) && isCutByHeader(hops)) yield hops
    }
  }
}

/** The one that helps the message least: what happens by itself, where it can. */
function reasonAt(graph: TopologyGraph, queue: string): DeathReason {
  const { deathReasons } = graph.settings(queue)
  return deathReasons.find((reason) => reason !== 'rejected') ?? 'rejected'
}

const isRejected = ({ reason }: CycleHop) => reason === 'rejected'

// Each new entry goes to the front, and those behind it are turned round once there are two.
function isCutByHeader(hops: readonly CycleHop[]): boolean {
  const last = hops.at(-1)
  if (last === undefined || isRejected(last)) return false
  let deaths: readonly CycleHop[] = []
  for (const hop of hops) deaths = [hop, ...deaths.toReversed()]
  const home = deaths.findIndex(({ queue }) => queue === hops[0]?.queue)
  return !deaths.slice(0, home + 1).some(isRejected)
}
