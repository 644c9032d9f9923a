import type { LiveTopology } from '../../topology/live-topology.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import { recogniseFlows } from '../../topology/recognise-topology.ts'
import type { RedriveOptions } from './redrive-options.ts'

/**
 * The flows that a re-drive goes by: those that are declared, and of other queues what stands on the broker. That is
 * looked through only for who asks for a wait queue, or for a count that the broker has kept.
 */
export function knownFlows(
  { flows = [], to, attempts }: Pick<RedriveOptions, 'flows' | 'to' | 'attempts'>,
  live: LiveTopology | undefined,
): readonly QueueFlow[] {
  if (!live || (to?.kind !== 'retry' && attempts !== 'continue')) return flows
  const declared = new Set(flows.map(({ queue }) => queue))
  return [...flows, ...recogniseFlows(live).filter(({ queue }) => !declared.has(queue))]
}
