import type { CompiledQueue, CompiledTopology, QueueRole } from './compiled-topology.ts'
import { groupBy } from './group-by.ts'
import { findLoops } from './prove/find-loops.ts'
import { createGraph, type TopologyGraph } from './prove/topology-graph.ts'
import { baseOf, saysDead, saysWait } from './says-dead.ts'

/** What a plain queue is for, worked out from what it does, and whose it is. */
export interface InferredRole {
  readonly role: QueueRole
  /** The work queue that it serves; itself where there is none, or more than one. */
  readonly owner: string
}

/**
 * Tells wait queues and dead-letter queues among plain queues, under whatever name, from arguments, policies and bindings.
 * wait: messages expire there, and from there they reach a queue that is worked on. dead-letter: a queue that is not
 * left by itself, and that only dead letters reach. Where that leaves it open, names decide.
 */
export function inferRoles(
  topology: CompiledTopology,
  plain: ReadonlySet<string>,
): ReadonlyMap<string, InferredRole> {
  const facts = factsOf(createGraph(topology), plain)
  const waits = findWaitQueues(facts)
  const dead = findDeadLetterQueues(facts, waits)
  const roles = [...plain].map((name): [string, InferredRole] => {
    if (waits.has(name)) return [name, { role: 'wait', owner: ownerOfWait(facts, waits, name) }]
    const owner = dead.get(name)
    return [name, owner === undefined ? { role: 'work', owner: name } : { role: 'dead-letter', owner }]
  })
  return new Map(roles)
}

interface Facts {
  readonly graph: TopologyGraph
  readonly queues: readonly CompiledQueue[]
  /** The plain queues of which nobody has said what they are for. */
  readonly open: ReadonlySet<string>
  /** Queues that an exchange leads to which nobody dead-letters to: something is delivered there. */
  readonly delivered: ReadonlySet<string>
}

function factsOf(graph: TopologyGraph, open: ReadonlySet<string>): Facts {
  const { queues, bindings } = graph.topology
  const deadLetterExchanges = new Set(queues.map(({ name }) => graph.settings(name).deadLetter?.exchange))
  return {
    graph,
    queues,
    open,
    delivered: new Set(
      bindings
        .filter(
          ({ source, destinationType }) => destinationType === 'queue' && !deadLetterExchanges.has(source),
        )
        .map(({ destination }) => destination),
    ),
  }
}

/** Where a dead letter may go. By a key that only its publisher knows (CC), it may go wherever the exchange leads. */
function targetsOf({ graph }: Facts, name: string): readonly string[] {
  const targets = graph.hopQueues(name)
  const hop = graph.settings(name).deadLetter
  if (targets.length > 0 || hop === undefined || hop.key !== undefined || hop.exchange === '') return targets
  return graph.routes.mayRoute(hop.exchange, '#').map(({ queue }) => queue)
}

function expires({ graph, open }: Facts, name: string): boolean {
  const { ttlMs, deadLetter } = graph.settings(name)
  return open.has(name) && ttlMs !== undefined && deadLetter !== undefined
}

function findWaitQueues(facts: Facts): ReadonlySet<string> {
  const { graph, queues } = facts
  const waits = new Set<string>()
  const names = queues.map(({ name }) => name)
  for (const loop of findLoops(names, (name) => graph.hopQueues(name)))
    for (const name of waitingInLoop(facts, loop)) waits.add(name)
  // A delay that is published to stands in no loop; one may lead to the next.
  const candidates = names.filter((name) => expires(facts, name) && !waits.has(name))
  for (let hasGrown = true; hasGrown; ) {
    const found = candidates.filter((name) => !waits.has(name) && leadsToWork(facts, waits, name))
    for (const name of found) waits.add(name)
    hasGrown = found.length > 0
  }
  return waits
}

/** In a way round, what expires waits; where all do, what is delivered to from outside is worked on. */
function waitingInLoop(facts: Facts, loop: readonly string[]): readonly string[] {
  const expiring = loop.filter((name) => expires(facts, name))
  if (expiring.length < loop.length) return expiring
  const named = expiring.filter((name) => saysWait(name))
  if (named.length > 0 && named.length < loop.length) return named
  return expiring.filter((name) => !facts.delivered.has(name))
}

function leadsToWork(facts: Facts, waits: ReadonlySet<string>, name: string): boolean {
  const { graph, open, delivered } = facts
  return targetsOf(facts, name).some((target) => {
    if (target === name) return false
    if (waits.has(target)) return true
    const isLayoutWork = !open.has(target) && graph.queue(target)?.role === 'work'
    const isLeft = graph.settings(target).deadLetter !== undefined
    return isLayoutWork || isLeft || (!saysDead(target) && (delivered.has(target) || saysWait(name)))
  })
}

/** Dead-letter queues with their owners. */
function findDeadLetterQueues(facts: Facts, waits: ReadonlySet<string>): ReadonlyMap<string, string> {
  const { graph, queues, open, delivered } = facts
  const sources = groupBy(
    queues
      .filter(({ name, role }) => role === 'work' && !waits.has(name))
      .flatMap(({ name }) => graph.hopQueues(name).map((target) => ({ name, target }))),
    ({ target }) => target,
  )
  const names = new Set(queues.map(({ name }) => name))
  const dead = new Map<string, string>()
  for (const name of open) {
    if (waits.has(name) || graph.settings(name).deadLetter !== undefined) continue
    const from = [...new Set((sources.get(name) ?? []).map((source) => source.name))]
    const base = baseOf(name, names)
    if (from.length > 0 && !delivered.has(name)) dead.set(name, from.length === 1 ? from[0]! : name)
    else if (base !== undefined && saysDead(name)) dead.set(name, base)
  }
  return dead
}

function ownerOfWait(facts: Facts, waits: ReadonlySet<string>, name: string): string {
  const reached = new Set([name])
  const ends = new Set<string>()
  for (const at of reached) {
    for (const target of targetsOf(facts, at)) {
      if (waits.has(target)) reached.add(target)
      else ends.add(target)
    }
  }
  const [only] = ends
  return only !== undefined && ends.size === 1 ? only : name
}
