import type { TopologyMistake } from '../errors.ts'
import { type Path, renderPath } from './check-shape.ts'
import type { CompiledTopology } from './compiled-topology.ts'

const longestNameBytes = 255

/** Names that the broker refuses, those that a layout derives included. */
export function checkNames({ queues, exchanges, bindings }: CompiledTopology): readonly TopologyMistake[] {
  // What a layout derives from a bad name is bad for the same reason, and saying it again helps nobody.
  const badOwners = queues.filter(({ name, owner }) => name === owner && nameProblem(name) !== undefined)
  const badNames = new Set(badOwners.map(({ name }) => name))
  const isDerived = (name: string) =>
    badOwners.some(({ owner }) => owner !== '' && name !== owner && name.includes(owner))
  return [
    ...queues.flatMap(({ name, owner }) =>
      name !== owner && badNames.has(owner)
        ? []
        : checkName({ kind: 'queue', name, path: ['queues', owner] }),
    ),
    ...exchanges.flatMap(({ name }) =>
      isDerived(name) ? [] : checkName({ kind: 'exchange', name, path: ['exchanges', name] }),
    ),
    ...bindings.flatMap(({ key, destination }) => checkKey(key, destination)),
  ]
}

function checkName({
  kind,
  name,
  path,
}: {
  kind: string
  name: string
  path: Path
}): readonly TopologyMistake[] {
  const problem = nameProblem(name)
  return problem === undefined
    ? []
    : [{ path: renderPath(path), problem: `${kind} ${shorten(name)} ${problem}` }]
}

function nameProblem(name: string): string | undefined {
  if (name === '')
    return 'has no name; the empty name means the default exchange, or a queue named by the broker'
  const bytes = byteLength(name)
  if (bytes > longestNameBytes)
    return `has ${bytes} bytes; RabbitMQ allows at most ${longestNameBytes}, so shorten it`
  if (name.startsWith('amq.')) return 'starts with "amq.", which RabbitMQ reserves; choose another name'
  // The broker silently removes line breaks from names, and the queue is then another one.
  if (/[\r\n]/.test(name)) return 'contains a line break; remove it'
  return undefined
}

function checkKey(key: string, destination: string): readonly TopologyMistake[] {
  const bytes = byteLength(key)
  if (bytes <= longestNameBytes) return []
  const problem = `the binding key ${shorten(key)} has ${bytes} bytes; RabbitMQ allows at most ${longestNameBytes}`
  return [{ path: renderPath(['queues', destination, 'bind']), problem }]
}

// A short text is short in any encoding, and counting the bytes of many thousand names is felt.
function byteLength(text: string): number {
  return text.length * 3 <= longestNameBytes ? text.length : Buffer.byteLength(text)
}

function shorten(name: string): string {
  return name.length > 60 ? `"${name.slice(0, 40)}…"` : `"${name}"`
}
