import type { Verdict } from './compare.ts'
import type { Program } from './program.ts'
import type { Observation } from './session.ts'

/** A program as it can be read, one operation to a line, and what was seen of it where it was not the same. */
export function renderDifference(program: Program, verdict: Verdict): string {
  const lines = program.map((operation) => `  ${JSON.stringify(operation, showBigInts)}`)
  if (verdict.kind !== 'different') return [...lines, `This time it was ${verdict.kind}.`].join('\n')
  const { at, expected, actual } = verdict
  const channels = Object.keys(expected) as (keyof Observation)[]
  const differing = channels.filter((name) => expected[name].join() !== actual[name].join())
  return [
    ...lines,
    `after operation ${at + 1}:`,
    ...differing.flatMap((name) => renderChannel(name, expected[name], actual[name])),
  ].join('\n')
}

/** What both have seen before they part is left out, but for the last of it. */
function renderChannel(
  name: string,
  embedded: readonly string[],
  real: readonly string[],
): readonly string[] {
  const same = embedded.findIndex((event, at) => event !== real[at])
  const from = Math.max(0, (same === -1 ? embedded.length : same) - 1)
  return [
    ...embedded.slice(from).map((event) => `  ${name} embedded: ${event}`),
    ...real.slice(from).map((event) => `  ${name} RabbitMQ: ${event}`),
  ]
}

function showBigInts(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
