import type { CompiledTopology, Finding, LiveTopology, Proof } from 'warrenmq/operations'
import type {
  TopologyFinding,
  TopologyProblems,
  CompiledTopology as WrittenCompiled,
  LiveTopology as WrittenLive,
} from '../contract/contract.ts'

type MaySee = (queue: string) => boolean

/** What is declared, without queues that somebody may not see. */
export function describeCompiled(topology: CompiledTopology, maySee: MaySee): WrittenCompiled {
  const { brokerVersion, exchanges, queues, bindings } = topology
  return {
    brokerVersion: brokerVersion.text,
    exchanges,
    queues: queues.filter(({ name }) => maySee(name)),
    bindings: bindings.filter((each) => isSeen(each, maySee)),
  }
}

export function describeLive(topology: LiveTopology, maySee: MaySee): WrittenLive {
  const { brokerVersion, exchanges, queues, bindings, policies } = topology
  const seen = queues.filter(({ name }) => maySee(name))
  return {
    brokerVersion: brokerVersion.text,
    exchanges,
    policies,
    queues: seen.map(({ policy, operatorPolicy, messages, consumers, effectivePolicy: _, ...queue }) => ({
      ...queue,
      policy: policy ?? null,
      operatorPolicy: operatorPolicy ?? null,
      messages: messages ?? null,
      consumers: consumers ?? null,
    })),
    bindings: bindings.filter((each) => isSeen(each, maySee)),
  }
}

function isSeen(
  { destination, destinationType }: { destination: string; destinationType: 'queue' | 'exchange' },
  maySee: MaySee,
): boolean {
  return destinationType === 'exchange' || maySee(destination)
}

export function describeProof(proof: Proof): TopologyProblems {
  const { brokerVersion, isProved, properties, findings, accepted, losesAt, assumptions, caveats, notes } =
    proof
  return {
    brokerVersion,
    isProved,
    properties,
    findings: findings.map(describeFinding),
    accepted: accepted.map(({ finding, reason }) => ({ finding: describeFinding(finding), reason })),
    losesAt,
    assumptions: assumptions.map(({ text, queues }) => ({ text, queues })),
    caveats: caveats.map(({ text, queues }) => ({ text, queues })),
    notes: notes.map(({ severity, text }) => ({ severity, text })),
  }
}

function describeFinding({ property, code, queue, path, problem, wayOut }: Finding): TopologyFinding {
  return { property, code, queue: queue ?? null, path, problem, wayOut }
}
