import type { TopologyMistake } from '../errors.ts'
import { didYouMean } from '../message/suggest-name.ts'
import { type Path, renderPath } from './check-shape.ts'
import type { CompiledTopology } from './compiled-topology.ts'
import type { BindingDeclaration, QueueDeclaration, TopologyDeclaration } from './declaration.ts'
import { findingNames } from './prove/finding-names.ts'

/** Exchanges that every vhost has. They can be bound to and never be declared. */
export const builtInExchanges: Readonly<Record<string, string>> = {
  'amq.direct': 'direct',
  'amq.fanout': 'fanout',
  'amq.topic': 'topic',
  'amq.headers': 'headers',
  'amq.match': 'headers',
}

/** Names that lead nowhere: exchanges, queues and findings that are spoken of and do not exist. */
export function checkReferences(
  topology: TopologyDeclaration,
  compiled: CompiledTopology,
): readonly TopologyMistake[] {
  const known = new Set([...compiled.exchanges.map(({ name }) => name), ...Object.keys(builtInExchanges)])
  const exchange = (name: string | undefined, path: Path) => checkExchange({ name, path, known })
  const bindings = (bind: readonly BindingDeclaration[] | undefined, path: Path) =>
    (bind ?? []).flatMap((binding, index) => exchange(binding.exchange, [...path, 'bind', index, 'exchange']))

  return [
    ...Object.entries(topology.exchanges ?? {}).flatMap(([name, declared]) => [
      ...bindings(declared.bind, ['exchanges', name]),
      ...exchange(declared.alternateExchange, ['exchanges', name, 'alternateExchange']),
    ]),
    ...Object.entries<QueueDeclaration>(topology.queues).flatMap(([name, { bind }]) =>
      bindings(bind, ['queues', name]),
    ),
    ...(topology.publications ?? []).flatMap((publication, index) =>
      publication.exchange === '' ? [] : exchange(publication.exchange, ['publications', index, 'exchange']),
    ),
    ...Object.entries(topology.messages ?? {}).flatMap(([name, message]) =>
      message.exchange === '' ? [] : exchange(message.exchange, ['messages', name, 'exchange']),
    ),
    ...checkAcceptances(topology, compiled),
  ]
}

function checkExchange({
  name,
  path,
  known,
}: {
  name: string | undefined
  path: Path
  known: ReadonlySet<string>
}) {
  if (name === undefined || known.has(name)) return []
  const problem =
    name === ''
      ? 'the default exchange allows no bindings: it already reaches every queue by its name'
      : `exchange "${name}" is not declared${didYouMean(name, known) || '; add it under "exchanges"'}`
  return [{ path: renderPath(path), problem }]
}

function checkAcceptances(
  topology: TopologyDeclaration,
  compiled: CompiledTopology,
): readonly TopologyMistake[] {
  // Only an acceptance that names a queue needs all their names.
  const queues = new Set(
    topology.accept?.some(({ queue }) => queue !== undefined)
      ? [...compiled.queues.map(({ name }) => name), ...Object.keys(topology.queues)]
      : [],
  )
  const ofTopology = (topology.accept ?? []).flatMap(({ finding, queue }, index) => [
    ...checkFinding(finding, ['accept', index, 'finding']),
    ...(queue === undefined || queues.has(queue)
      ? []
      : [unknownQueue(queue, ['accept', index, 'queue'], queues)]),
  ])
  const ofQueues = Object.entries<QueueDeclaration>(topology.queues).flatMap(([name, { accept }]) =>
    (accept ?? []).flatMap(({ finding }, index) =>
      checkFinding(finding, ['queues', name, 'accept', index, 'finding']),
    ),
  )
  return [...ofTopology, ...ofQueues]
}

function checkFinding(finding: string, path: Path): readonly TopologyMistake[] {
  if (findingNames.has(finding)) return []
  const problem = `there is no finding "${finding}"${didYouMean(finding, findingNames) || '; `warren check` prints their names'}`
  return [{ path: renderPath(path), problem }]
}

function unknownQueue(queue: string, path: Path, queues: Iterable<string>): TopologyMistake {
  return { path: renderPath(path), problem: `queue "${queue}" is not declared${didYouMean(queue, queues)}` }
}
