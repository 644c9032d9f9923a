import type { QueueDeclaration, TopologyDeclaration } from './declaration.ts'
import { readTopology } from './validate-topology.ts'

/** A declaration without mistakes. `QueueName` is the union of its queues, so that `consume()` knows them. */
export interface Topology<QueueName extends string = string> extends TopologyDeclaration<QueueName> {
  /** Queues by name. */
  readonly queues: Readonly<Record<QueueName, QueueDeclaration>>
}

/**
 * Checks a declaration and gives it back. Throws a TopologyError that lists all mistakes at once.
 * @example
 * ```ts
 * const topology = defineTopology({
 *   exchanges: { 'orders.events': { type: 'topic' } },
 *   queues: {
 *     'billing.orders': {
 *       bind: [{ exchange: 'orders.events', key: 'order.*' }],
 *       retry: { delays: ['5s', '30s', '5m'], maxAttempts: 4 },
 *     },
 *   },
 * })
 * ```
 */
export function defineTopology<const QueueName extends string>(
  declaration: TopologyDeclaration<QueueName>,
): Topology<QueueName> {
  readTopology(declaration)
  return declaration
}
