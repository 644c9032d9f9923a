import type { CompiledTopology } from '../../packages/warrenmq/src/topology/compiled-topology.ts'
import type { Arguments } from '../../packages/warrenmq/src/topology/declaration.ts'
import { canonicalText } from '../../packages/warrenmq/src/topology/is-same-value.ts'

/** A compiled topology as sorted lines of text, to be laid beside a table of a document. */
export function goldenLines({ exchanges, queues, bindings }: CompiledTopology): readonly string[] {
  return [
    ...exchanges.map(({ name, type, durable, arguments: args }) =>
      line(['exchange', name, type, durable ? '' : 'transient', ...argumentTexts(args)]),
    ),
    ...queues.map(({ name, type, durable, arguments: args }) =>
      line(['queue', name, type, durable ? '' : 'transient', ...argumentTexts(args)]),
    ),
    ...bindings.map(({ source, destination, key, arguments: args }) =>
      line(['bind', source, '->', destination, `key=${key}`, ...argumentTexts(args)]),
    ),
  ].sort()
}

/** What stands on the right and not on the left, and the other way round, as `+` and `-` lines. */
export function lineChanges(left: readonly string[], right: readonly string[]): readonly string[] {
  const removed = left.filter((text) => !right.includes(text)).map((text) => `- ${text}`)
  const added = right.filter((text) => !left.includes(text)).map((text) => `+ ${text}`)
  return [...removed, ...added]
}

function argumentTexts(args: Arguments): readonly string[] {
  return Object.entries(args)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${canonicalText(value)}`)
}

function line(words: readonly string[]): string {
  return words.filter((word) => word !== '').join(' ')
}
