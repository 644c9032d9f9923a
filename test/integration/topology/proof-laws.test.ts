import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileTopology } from '../../../packages/warrenmq/src/topology/compile-topology.ts'
import type { Finding } from '../../../packages/warrenmq/src/topology/prove/finding.ts'
import { proveTopology } from '../../../packages/warrenmq/src/topology/prove/prove-topology.ts'
import {
  createGraph,
  type TopologyGraph,
} from '../../../packages/warrenmq/src/topology/prove/topology-graph.ts'
import { sharedBroker } from '../../support/shared-broker.ts'
import { arbitraryTopology } from './arbitrary-topology.ts'
import { lawProfiles, lawRuns, lawSeed } from './law-settings.ts'
import { provokeFinding } from './provoke-finding.ts'
import { openRealLab } from './real-lab.ts'
import { openTopologyLab, type Snapshot, type TopologyLab } from './topology-lab.ts'

/** One step of the clock; every TTL is several of them, so that a message makes one hop in each at most. */
const tickMs = 10
const topologies = arbitraryTopology({
  ttlsMs: [20, 30, 50],
  expiresMs: 120,
  expirationMs: 20,
  limits: [-1, 1, 2],
})

type Move =
  | { readonly kind: 'publish'; readonly exchange: string; readonly key: string }
  | {
      readonly kind: 'send' | 'reject' | 'give-back' | 'visit'
      readonly queue: number
      readonly times: number
    }
  | { readonly kind: 'pass' | 'restart' }

const queue = fc.nat({ max: 7 })
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      queue,
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      exchange: fc.constantFrom('x.direct', 'x.topic', 'x.fanout'),
      key: fc.constantFrom('k', 'b.k', 'a', 'none'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reject' as const), queue, times: fc.constant(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('give-back' as const),
      queue,
      times: fc.constantFrom(1, 3, 21),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('visit' as const), queue, times: fc.constant(1) }) },
  { weight: 8, arbitrary: fc.constant({ kind: 'pass' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
)

describe.each(lawProfiles)('whatever is done to a random topology on %s', (profile) => {
  it('no message is lost where the proof finds no loss', { timeout: 600_000 }, async () => {
    let bodies = 0
    const property = fc.asyncProperty(
      topologies,
      fc.array(move, { minLength: 5, maxLength: 30 }),
      async (topology, moves) => {
        const lab = await openTopologyLab(topology, profile)
        try {
          for (const each of moves) {
            bodies += 1
            await playMove({ lab, move: each, body: `m${bodies}` })
          }
        } finally {
          await lab.close()
        }
      },
    )
    await fc.assert(property, { numRuns: lawRuns, seed: lawSeed })
  })
})

describe.each(lawProfiles)('each finding of a random topology on %s', (profile) => {
  it('can be made to happen', { timeout: 600_000 }, async () => {
    const shown = new Map<string, number>()
    const property = fc.asyncProperty(topologies, async (topology) => {
      const first = await openTopologyLab(topology, profile)
      await first.close()
      for (const finding of firstOfEachCode(first.proof.findings)) {
        const lab = await openTopologyLab(topology, profile)
        const outcome = await provokeFinding(lab, finding)
        await lab.close()
        expect(outcome, JSON.stringify(finding)).not.toBe('not-shown')
        if (outcome === 'shown') shown.set(finding.code, (shown.get(finding.code) ?? 0) + 1)
      }
    })
    // Each of these costs a broker per finding.
    await fc.assert(property, { numRuns: Math.ceil(lawRuns / 2), seed: lawSeed })
    expect([...shown.keys()].sort()).toEqual(expect.arrayContaining(commonCodes))
  })
})

describe('on the real broker', () => {
  // Those that end in one look: the others need to see the message on its way.
  const lasting = ['drop-head', 'ttl-deletes', 'ttl', 'delivery-limit-drops', 'delivery-limit', 'misread']

  it('what the proof of a random topology calls a loss can be made to happen', async () => {
    const topology = arbitraryTopology({
      ttlsMs: [60],
      expiresMs: 600_000,
      expirationMs: 60,
      limits: [1, 2],
    }).map(({ publications: _, ...rest }) => rest)
    const outcomes: string[] = []
    const property = fc.asyncProperty(topology, async (declared) => {
      const wanted = compileTopology(declared, { brokerVersion: sharedBroker().version })
      // On real time a message of a queue with a TTL may be gone before it was returned often enough.
      const hasTime = ({ code, queue: name }: Finding) =>
        code.startsWith('ttl') ||
        wanted.queues.some((each) => each.name === name && !('x-message-ttl' in each.arguments))
      const provoked = firstOfEachCode(proveTopology(wanted).findings).filter(
        (finding) => lasting.includes(finding.code) && hasTime(finding),
      )
      for (const finding of provoked.slice(0, 2)) {
        const lab = await openRealLab(declared)
        const outcome = await provokeFinding(lab, finding).finally(lab.close)
        outcomes.push(outcome)
        expect(outcome, JSON.stringify(finding)).not.toBe('not-shown')
      }
    })
    await fc.assert(property, { numRuns: 10, seed: lawSeed })
    expect(outcomes).toContain('shown')
  })
})

/** Those that every run meets often enough; if one of them were never shown, the rig would be blind to it. */
const commonCodes = [
  ...['at-most-once-hop', 'classic-to-quorum-hop', 'cut-cycle', 'dead-letter-unrouted', 'drop-head'],
  ...['ttl-deletes', 'uncounted-cycle'],
]

function firstOfEachCode(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.toReversed().map((finding) => [finding.code, finding])).values()]
}

interface Play {
  readonly lab: TopologyLab
  readonly move: Move
  readonly body: string
}

async function playMove({ lab, move, body }: Play): Promise<void> {
  const { queues } = lab.wanted
  const times = 'times' in move ? move.times : 1
  for (let time = 0; time < times; time += 1) {
    const before = await lab.look()
    const target = 'queue' in move ? queues[move.queue % queues.length] : undefined
    if (target !== undefined && !before.has(target.name)) return
    switch (move.kind) {
      case 'publish':
        await lab.publish({ ...move, body })
        break
      case 'send':
        await lab.send(target!.name, `${body}.${time}`)
        break
      case 'reject':
        // Without a dead-letter exchange to reject is to throw away, which is for the consumer to decide.
        if (target!.role === 'work' && 'x-dead-letter-exchange' in target!.arguments)
          await lab.reject(target!.name)
        break
      case 'give-back':
        if (target!.role !== 'wait') await lab.giveBack(target!.name)
        break
      case 'visit':
        await lab.visit(target!.name)
        break
      case 'pass':
        await lab.pass(tickMs)
        break
      case 'restart':
        await lab.restart(tickMs)
        break
    }
    expectExplained({ lab, move, before, after: await lab.look() })
  }
}

interface Step {
  readonly lab: TopologyLab
  readonly move: Move
  readonly before: Snapshot
  readonly after: Snapshot
}

/** Every message that left the sight of consumers in this step left a queue of which the proof says that it may. */
function expectExplained(step: Step): void {
  const { lab, move, before, after } = step
  const graph = createGraph(lab.wanted)
  for (const body of missingCopies(before, after)) {
    const holders = [...before].filter(([, { bodies }]) => bodies.includes(body)).map(([name]) => name)
    // Two that come to a short queue at once push each other out of where they never were before.
    const isExplained =
      holders.some((name) => mayLose({ ...step, graph, name })) ||
      holders.flatMap(graph.hopQueues).some((name) => mayDropOnArrival(lab.proof.findings, name))
    const findings = lab.proof.findings.filter(({ queue }) => holders.includes(queue ?? '')).map(codeOf)
    expect(isExplained, JSON.stringify({ body, holders, move, findings })).toBe(true)
  }
}

function mayDropOnArrival(findings: readonly Finding[], name: string): boolean {
  const codes = ['drop-head', 'cut-cycle', 'dead-letter-exchange-missing', 'dead-letter-unrouted']
  return findings.some(({ queue: of, code }) => of === name && codes.includes(code))
}

/** Whether the proof says of a queue that what was just done may cost a message. */
function mayLose({
  lab,
  move,
  before,
  after,
  graph,
  name,
}: Step & { graph: TopologyGraph; name: string }): boolean {
  const isStuck = (after.get(name)?.stuck ?? 0) > (before.get(name)?.stuck ?? 0)
  const hasLostQueue = lab.wanted.queues.some((each) => !after.has(each.name))
  const reasons = lab.proof.findings.filter((finding) => concerns({ graph, finding, name }))
  return isStuck
    ? hasLostQueue || mayRefuse(graph) || reasons.some(explainsStuck)
    : reasons.some((finding) => explainsLoss({ finding, move, hasLostQueue }))
}

function missingCopies(before: Snapshot, after: Snapshot): ReadonlySet<string> {
  const count = (snapshot: Snapshot) => {
    const counts = new Map<string, number>()
    for (const { bodies } of snapshot.values())
      for (const body of bodies) counts.set(body, (counts.get(body) ?? 0) + 1)
    return counts
  }
  const left = count(after)
  return new Set(
    [...count(before)].flatMap(([body, copies]) => ((left.get(body) ?? 0) < copies ? [body] : [])),
  )
}

function codeOf({ property, code, queue }: Finding): string {
  return `${queue}: ${property}/${code}`
}

/** A finding of the queue itself; of a cut cycle, also one that is told of another queue of the same round. */
function concerns({
  graph,
  finding,
  name,
}: {
  graph: TopologyGraph
  finding: Finding
  name: string
}): boolean {
  if (finding.queue === undefined || finding.queue === name) return true
  return (
    finding.code === 'cut-cycle' && reaches(graph, name, finding.queue) && reaches(graph, finding.queue, name)
  )
}

function reaches(graph: TopologyGraph, from: string, to: string): boolean {
  const open = [from]
  for (const name of open) {
    for (const { queue: next } of graph.hopTargets(name)) {
      if (next === to) return true
      if (!open.includes(next)) open.push(next)
    }
  }
  return false
}

const explainsStuck = ({ code }: Finding) =>
  ['cut-cycle', 'dead-letter-exchange-missing', 'dead-letter-unrouted'].includes(code)

/** A full queue that refuses keeps a dead letter waiting in front of it; that is no loss. */
function mayRefuse(graph: TopologyGraph): boolean {
  return graph.topology.queues.some(({ name }) => {
    const { hasLengthLimit, overflow } = graph.settings(name)
    return hasLengthLimit && overflow !== 'drop-head'
  })
}

function explainsLoss({
  finding,
  move,
  hasLostQueue,
}: {
  finding: Finding
  move: Move
  hasLostQueue: boolean
}): boolean {
  switch (finding.code) {
    case 'dead-letter-exchange-missing':
    case 'dead-letter-unrouted':
    case 'cut-cycle':
    case 'drop-head':
    case 'full-target-drops':
      return true
    case 'at-most-once-hop':
    case 'classic-to-quorum-hop':
      return move.kind === 'restart' || hasLostQueue
    case 'ttl':
    case 'ttl-deletes':
      return move.kind === 'pass' || move.kind === 'restart'
    case 'queue-expires':
      return hasLostQueue
    case 'delivery-limit':
    case 'delivery-limit-drops':
    case 'misread':
      return move.kind === 'give-back' || move.kind === 'visit'
    case 'not-durable':
      return move.kind === 'restart'
    case 'auto-delete':
      return move.kind === 'visit' || move.kind === 'give-back'
    default:
      return false
  }
}
