import { type CompileOptions, compileTopology } from './compile-topology.ts'
import type { ArgumentValue, TopologyDeclaration } from './declaration.ts'
import { isSameValue } from './is-same-value.ts'

/** What the hardened form of one queue has that the exact form has not. */
export interface Hardening {
  /** The queue that is hardened. */
  readonly queue: string
  /** `type`, or the name of an argument. */
  readonly setting: string
  /** Undefined where the document says nothing. */
  readonly exact: ArgumentValue | undefined
  /** What the hardened form sets. */
  readonly hardened: ArgumentValue
}

/**
 * Everything that hardening adds to a declaration on one broker version, in the order of the queues.
 * @example
 * ```ts
 * const added = listHardening(topology, { brokerVersion: '4.0' })
 * ```
 */
export function listHardening(topology: TopologyDeclaration, options: CompileOptions): readonly Hardening[] {
  const exact = compileTopology(exactFormOf(topology), options)
  const hardened = compileTopology(withExact(topology, false), options)
  const exactQueues = new Map(exact.queues.map((queue) => [queue.name, queue]))

  return hardened.queues.flatMap((queue) => {
    const before = exactQueues.get(queue.name)
    const settings = { type: queue.type, ...queue.arguments }
    const settingsBefore: Readonly<Record<string, ArgumentValue>> = {
      type: before?.type ?? '',
      ...before?.arguments,
    }
    return Object.entries(settings)
      .filter(([setting, value]) => !isSameValue(settingsBefore[setting], value))
      .map(([setting, value]) => ({
        queue: queue.name,
        setting,
        exact: settingsBefore[setting],
        hardened: value,
      }))
  })
}

/** The same declaration with every queue as its layout's document says. */
export function exactFormOf(topology: TopologyDeclaration): TopologyDeclaration {
  return withExact(topology, true)
}

function withExact(topology: TopologyDeclaration, exact: boolean): TopologyDeclaration {
  const queues = Object.entries(topology.queues).map(([name, queue]) => [name, { ...queue, exact }])
  return { ...topology, exact, queues: Object.fromEntries(queues) }
}
