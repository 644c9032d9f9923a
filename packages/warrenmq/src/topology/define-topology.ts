import type { QueueDeclaration, TopologyDeclaration } from './declaration.ts'
import { readTopology } from './validate-topology.ts'

/** A declaration without mistakes. `QueueName` is the union of its queues, so that `consume()` knows them. */
export interface Topology<QueueName extends string = string> extends TopologyDeclaration<QueueName> {
  readonly queues: Readonly<Record<QueueName, QueueDeclaration>>
}

/** Checks a declaration and gives it back. Throws a TopologyError that lists all mistakes at once. */
export function defineTopology<const QueueName extends string>(
  declaration: TopologyDeclaration<QueueName>,
): Topology<QueueName> {
  readTopology(declaration)
  return declaration
}
