import { isDeepStrictEqual } from 'node:util'
import { InvalidArgumentError, type TopologyDeclaration } from 'warrenmq'

/** Sections of a declaration that are maps by name, and those that are lists. */
type Section = Record<string, unknown>

/**
 * One declaration of all parts. Two parts may declare the same thing if they declare it alike: an exchange that a feature
 * publishes to and another binds to belongs to both.
 */
export function mergeTopologies(parts: readonly TopologyDeclaration<string>[]): TopologyDeclaration<string> {
  const merged: Section = {}
  for (const part of parts)
    for (const [section, value] of Object.entries(part))
      if (value !== undefined) merged[section] = mergeSection(section, merged[section], value)
  return { queues: {}, ...merged } as TopologyDeclaration<string>
}

function mergeSection(section: string, one: unknown, other: unknown): unknown {
  if (one === undefined || isDeepStrictEqual(one, other)) return other
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other]
  if (isMap(one) && isMap(other)) return mergeNames(section, one, other)
  throw new InvalidArgumentError(
    `Two parts of the topology disagree about "${section}": ${JSON.stringify(one)} and ${JSON.stringify(other)}. ` +
      'Say it once, in WarrenModule.forRoot().',
  )
}

function mergeNames(section: string, one: Section, other: Section): Section {
  const merged = { ...one }
  for (const [name, value] of Object.entries(other)) {
    if (name in merged && !isDeepStrictEqual(merged[name], value))
      throw new InvalidArgumentError(
        `Two parts of the topology declare "${name}" in ${section}, and not alike. Declare it in one of them.`,
      )
    merged[name] = value
  }
  return merged
}

function isMap(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
