import { TopologyError, type TopologyMistake } from '../errors.ts'
import { checkArguments } from './check-arguments.ts'
import { checkHandles, checkMessages } from './check-messages.ts'
import { checkNames } from './check-names.ts'
import { checkLayoutParameters, checkQueue } from './check-queue.ts'
import { checkReferences } from './check-references.ts'
import { checkShape } from './check-shape.ts'
import { compileWithConflicts } from './compile-topology.ts'
import type { QueueDeclaration, TopologyDeclaration } from './declaration.ts'
import { topologySchema } from './topology-schema.ts'

/**
 * Every mistake of a declaration, each with its path and a way out. Takes a value from any source.
 * @example
 * ```ts
 * for (const { path, problem } of validateTopology(value)) console.log(path, problem)
 * ```
 */
export function validateTopology(value: unknown): readonly TopologyMistake[] {
  const shapeMistakes = checkShape(value, topologySchema)
  // What has the wrong shape cannot be read any further without guessing.
  if (shapeMistakes.length > 0) return shapeMistakes
  const topology = value as TopologyDeclaration
  const mistakes = [
    ...checkLayoutParameters(topology),
    ...Object.entries<QueueDeclaration>(topology.queues).flatMap(([name, queue]) =>
      checkQueue({ topology, name, queue }),
    ),
    ...checkArguments(topology),
    ...checkMessages(topology.messages ?? {}),
    ...checkHandles(topology),
  ]
  return mistakes.length > 0 ? withoutRepeats(mistakes) : checkCompiled(topology)
}

/**
 * The same value with its type, or a TopologyError with all mistakes. For `.json` and `.yaml` files.
 * @example
 * ```ts
 * const topology = readTopology(JSON.parse(readFileSync('topology.json', 'utf8')))
 * ```
 */
export function readTopology(value: unknown): TopologyDeclaration {
  const mistakes = validateTopology(value)
  if (mistakes.length > 0) throw new TopologyError(mistakes)
  return value as TopologyDeclaration
}

// A setting of the topology that is wrong for each of its queues is still one mistake.
function withoutRepeats(mistakes: readonly TopologyMistake[]): readonly TopologyMistake[] {
  return [...new Map(mistakes.map((mistake) => [`${mistake.path}: ${mistake.problem}`, mistake])).values()]
}

// Layouts derive names, so lengths and clashes show only once the declaration is spelled out. Versions differ in
// arguments and not in names: any one will do.
function checkCompiled(topology: TopologyDeclaration): readonly TopologyMistake[] {
  const { topology: compiled, conflicts } = compileWithConflicts(topology, { brokerVersion: '4.0' })
  const clashes = conflicts.map(({ kind, name }) => ({
    path: kind === 'queue' ? 'queues' : 'exchanges',
    problem: `${kind} "${name}" is declared twice, with different settings; rename one of the two`,
  }))
  return [...checkNames(compiled), ...clashes, ...checkReferences(topology, compiled)]
}
