import type { Management } from '../broker/management/open-management.ts'
import { parseBrokerVersion } from '../message/broker-version.ts'
import { compileTopology } from '../topology/compile-topology.ts'
import type { CompiledTopology } from '../topology/compiled-topology.ts'
import type { TopologyDeclaration } from '../topology/declaration.ts'
import { exactFormOf } from '../topology/list-hardening.ts'
import type { LiveTopology } from '../topology/live-topology.ts'
import { type Plan, planTopology } from '../topology/plan-topology.ts'
import { type Proof, proveTopology } from '../topology/prove/prove-topology.ts'
import { observeTopology } from './observe-topology.ts'

/** A plan with all it was made from. */
export interface PlannedDeployment {
  /** The topology, compiled for this broker. */
  readonly wanted: CompiledTopology
  /** What the broker has. */
  readonly live: LiveTopology
  /** The steps from one to the other. */
  readonly plan: Plan
  /** What could not be looked at, in sentences. Empty when the broker was observed. */
  readonly unchecked: readonly string[]
}

/**
 * Observes the broker and plans the way to the topology, compiled for the version that answered.
 * @example
 * ```ts
 * const { plan, live } = await planDeployment(topology, { management, vhost: '/' })
 * ```
 */
export async function planDeployment(
  topology: TopologyDeclaration,
  { management, vhost, signal }: { management: Management; vhost: string; signal?: AbortSignal },
): Promise<PlannedDeployment> {
  const live = await observeTopology(management, { vhost, ...(signal && { signal }) })
  const { brokerVersion } = live
  const wanted = compileTopology(topology, { brokerVersion })
  const exactForm = compileTopology(exactFormOf(topology), { brokerVersion })
  return { wanted, live, plan: planTopology({ wanted, live, exactForm }), unchecked: [] }
}

/**
 * What the proof says of a deployment, with the policies that stand on the broker where it was looked at.
 * @example
 * ```ts
 * const proof = proveDeployment(await planDeployment(topology, { management, vhost: '/' }))
 * ```
 */
export function proveDeployment({ wanted, live, unchecked }: PlannedDeployment): Proof {
  return proveTopology(unchecked.length === 0 ? { ...wanted, policies: live.policies } : wanted)
}

/**
 * The plan if there is no management API: declare everything. What exists and is equal stays as it is, and
 * what differs is refused by the broker, step by step.
 * @example
 * ```ts
 * const { plan } = planBlindly(topology, '4.0')
 * ```
 */
export function planBlindly(topology: TopologyDeclaration, brokerVersion: string): PlannedDeployment {
  const version = parseBrokerVersion(brokerVersion)
  const wanted = compileTopology(topology, { brokerVersion: version })
  const live = { brokerVersion: version, exchanges: [], queues: [], bindings: [], policies: [] }
  return { wanted, live, plan: planTopology({ wanted, live }), unchecked: uncheckedOverAmqp }
}

const uncheckedOverAmqp = [
  'Bindings that the topology no longer has, and bindings made by others, were not checked.',
  'Wait queues of delays that the topology no longer has were not checked.',
  'Policies that override arguments were not checked.',
  'Warren cannot tell which steps were needed: declaring something that already exists looks the same as creating it.',
]
