import { type KnownFault, knownFaults } from '../../message/known-faults.ts'
import type { CompiledTopology } from '../compiled-topology.ts'
import type { Acceptance } from '../declaration.ts'
import { indexBy } from '../group-by.ts'
import { proveComesHome } from './comes-home.ts'
import { proveDlqKeeps } from './dlq-keeps.ts'
import { proveEnds } from './ends.ts'
import { type Assumption, findAssumptions } from './find-assumptions.ts'
import { type Caveat, findCaveats } from './find-caveats.ts'
import type { BrokenProperty, Finding } from './finding.ts'
import { type ProvedProperty, propertyNames } from './finding-names.ts'
import { proveNoBlackHole } from './no-black-hole.ts'
import { proveNoSilentLoss } from './no-silent-loss.ts'
import type { NodeEnd, NodeLoss } from './node-ends.ts'
import { proveRightForVersion } from './right-for-version.ts'
import { proveSecondFailure } from './second-failure.ts'
import { createGraph, type TopologyGraph } from './topology-graph.ts'

/** What was proved of a topology on one broker version, and what was not. */
export interface Proof {
  /** The RabbitMQ version that it was proved for. */
  readonly brokerVersion: string
  /** Nothing is broken but what was accepted. */
  readonly isProved: boolean
  /** One result for each property, always in the same order. */
  readonly properties: readonly PropertyResult[]
  /** What is broken and was not accepted; empty if the topology is proved. */
  readonly findings: readonly Finding[]
  /** What is broken, and somebody accepted with a reason. */
  readonly accepted: readonly AcceptedFinding[]
  /** Where the end of a node loses messages that were persistent and confirmed, whether or not that was accepted. */
  readonly losesAt: LosesAt
  /** Acceptances that met no finding: leave them out, or see whether a name changed. */
  readonly unusedAcceptances: readonly Acceptance[]
  /** What the proof takes for granted. */
  readonly assumptions: readonly Assumption[]
  /** What the broker does by itself, out of everybody's hands. */
  readonly caveats: readonly Caveat[]
  /** Faults of this broker version that no topology can work around. */
  readonly notes: readonly KnownFault[]
}

/** How one property stands, in numbers of queues. */
export interface PropertyResult {
  /** What was to be proved. */
  readonly property: ProvedProperty
  /** The queues for which it holds. */
  readonly holds: number
  /** The queues for which it does not hold, and nobody accepted that. */
  readonly broken: number
  /** The queues for which it does not hold, and every such finding was accepted. */
  readonly accepted: number
}

/** A finding that somebody accepted. */
export interface AcceptedFinding {
  /** What was found. */
  readonly finding: Finding
  /** Why somebody accepted it, in their words. */
  readonly reason: string
}

/** By how a node ends: where messages may be lost then, and which. */
export type LosesAt = { readonly [End in NodeEnd]: readonly PlaceOfLoss[] }

/** Where messages are lost when a node ends. */
export interface PlaceOfLoss {
  /** A queue, or `exchange x`. */
  readonly at: string
  /** Which messages are lost when the node ends. */
  readonly what: NodeLoss
}

/**
 * Proves the seven properties of every queue, or shows by a path why one does not hold.
 * @example
 * ```ts
 * const proof = proveTopology(compileTopology(topology, { brokerVersion: '4.0' }))
 * ```
 */
export function proveTopology(topology: CompiledTopology): Proof {
  const graph = createGraph(topology)
  const found = propertyNames.flatMap((property) => findingsOf(property, graph))
  const accept = createAcceptances(topology)
  const judged = found.map((finding) => ({ finding, acceptance: accept.find(finding) }))
  const findings = judged.flatMap(({ finding, acceptance }) => (acceptance === undefined ? [finding] : []))
  const accepted = judged.flatMap(({ finding, acceptance }) =>
    acceptance === undefined ? [] : [{ finding, reason: acceptance.reason }],
  )
  return {
    brokerVersion: topology.brokerVersion.text,
    isProved: findings.length === 0,
    properties: propertyNames.map((property) => resultOf({ property, topology, findings, accepted })),
    findings,
    accepted,
    losesAt: { stop: losersAt(found, 'stop'), crash: losersAt(found, 'crash') },
    unusedAcceptances: accept.unused(),
    assumptions: findAssumptions(graph),
    caveats: findCaveats(graph),
    notes: knownFaults(topology.brokerVersion),
  }
}

function findingsOf(property: ProvedProperty, graph: TopologyGraph): readonly Finding[] {
  const found: Iterable<BrokenProperty<ProvedProperty>> = provers[property](graph)
  // A prover finds what belongs to its property; that is more than the type of a union can say.
  return Array.from(found, (broken) => ({ property, ...broken }) as Finding)
}

const provers: {
  readonly [Property in ProvedProperty]: (graph: TopologyGraph) => Iterable<BrokenProperty<Property>>
} = {
  'no-black-hole': proveNoBlackHole,
  'comes-home': proveComesHome,
  ends: proveEnds,
  'no-silent-loss': proveNoSilentLoss,
  'dlq-keeps': proveDlqKeeps,
  'second-failure': proveSecondFailure,
  'right-for-version': proveRightForVersion,
}

function losersAt(findings: readonly Finding[], end: NodeEnd): readonly PlaceOfLoss[] {
  return findings.flatMap(({ queue, path, losesAt }) => {
    const what = losesAt?.[end]
    return what === undefined ? [] : [{ at: queue ?? path[0] ?? '', what }]
  })
}

/** An acceptance for a declared queue covers the wait and dead-letter queues that were made for it. */
function createAcceptances({ accept, queues }: CompiledTopology) {
  const byName = indexBy(accept.length === 0 ? [] : queues, ({ name }) => name)
  const used = new Set<Acceptance>()
  const covers = ({ finding: name, queue }: Acceptance, finding: Finding) => {
    const isNamed = name === finding.property || name === `${finding.property}/${finding.code}`
    if (!isNamed || queue === undefined) return isNamed
    return (
      finding.queue !== undefined && (queue === finding.queue || queue === byName.get(finding.queue)?.owner)
    )
  }
  return {
    find: (finding: Finding): Acceptance | undefined => {
      const acceptance = accept.find((each) => covers(each, finding))
      if (acceptance !== undefined) used.add(acceptance)
      return acceptance
    },
    unused: (): readonly Acceptance[] => accept.filter((each) => !used.has(each)),
  }
}

function resultOf({ property, topology, findings, accepted }: ResultParts): PropertyResult {
  const queuesOf = (list: readonly Finding[]) =>
    new Set(list.filter((finding) => finding.property === property).map(({ queue }) => queue))
  const broken = queuesOf(findings)
  const onlyAccepted = [...queuesOf(accepted.map(({ finding }) => finding))].filter(
    (queue) => !broken.has(queue),
  )
  const concernedQueues = [...broken, ...onlyAccepted].filter((queue) => queue !== undefined).length
  return {
    property,
    holds: topology.queues.length - concernedQueues,
    broken: broken.size,
    accepted: onlyAccepted.length,
  }
}

interface ResultParts {
  readonly property: ProvedProperty
  readonly topology: CompiledTopology
  readonly findings: readonly Finding[]
  readonly accepted: readonly AcceptedFinding[]
}
