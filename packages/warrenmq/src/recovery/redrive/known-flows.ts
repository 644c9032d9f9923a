import type { LiveTopology } from '../../topology/live-topology.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import { recogniseFlows } from '../../topology/recognise-topology.ts'
import type { RedriveOptions } from './redrive-options.ts'

/**
 * The flows that a re-drive uses: those that are declared and, for other queues, what is on the broker. The broker is
 * searched only if the request asks for a wait queue, or for a count that the broker has kept.
 */
export function knownFlows(
  { flows = [], to, attempts }: Pick<RedriveOptions, 'flows' | 'to' | 'attempts'>,
  live: LiveTopology | undefined,
): readonly QueueFlow[] {
  if (!live || (to?.kind !== 'retry' && attempts !== 'continue')) return flows
  const declared = new Set(flows.map(({ queue }) => queue))
  return [...flows, ...recogniseFlows(live).filter(({ queue }) => !declared.has(queue))]
}
