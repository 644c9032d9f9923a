import type { PolicyDefinition, PolicyValue } from './policies.ts'

/** The keys of mirrored classic queues, which 3.x takes. One node has nothing to mirror to, so none of them does anything. */
export const mirroringKeys: readonly string[] = [
  'ha-mode',
  'ha-params',
  'ha-sync-mode',
  'ha-sync-batch-size',
  'ha-promote-on-shutdown',
  'ha-promote-on-failure',
]

/** What 3.10 objects to in them, in its words. */
export function findMirroringProblem(definition: PolicyDefinition): string | undefined {
  if (!mirroringKeys.some((key) => key in definition)) return undefined
  if (!('ha-mode' in definition)) {
    return 'ha-mode must be specified to specify ha-params, ha-sync-mode or ha-promote-on-shutdown'
  }
  return (
    findModeProblem(definition['ha-mode'], definition['ha-params']) ??
    findChoiceProblem(definition, 'ha-sync-mode', ['manual', 'automatic']) ??
    findBatchProblem(definition['ha-sync-batch-size']) ??
    findChoiceProblem(definition, 'ha-promote-on-shutdown', ['always', 'when-synced']) ??
    findChoiceProblem(definition, 'ha-promote-on-failure', ['always', 'when-synced'])
  )
}

function findModeProblem(mode: PolicyValue | undefined, params: PolicyValue | undefined): string | undefined {
  switch (mode) {
    case 'all':
      return params === undefined ? undefined : 'ha-mode="all" does not take parameters'
    case 'exactly':
      if (Number.isInteger(params) && Number(params) > 0) return undefined
      return `ha-mode="exactly" takes an integer, ${params === undefined ? 'none' : renderTerm(params)} given`
    case 'nodes':
      return findNodesProblem(params)
    default:
      return `${renderTerm(mode)} is not a valid ha-mode value`
  }
}

function findNodesProblem(params: PolicyValue | undefined): string | undefined {
  if (!isList(params)) {
    const given = params === undefined ? 'none' : renderTerm(params)
    return `ha-mode="nodes" takes a list of strings, ${given} given`
  }
  if (params.length === 0) return 'ha-mode="nodes" list must be non-empty'
  const strangers = params.filter((name) => typeof name !== 'string')
  if (strangers.length === 0) return undefined
  return `ha-mode="nodes" takes a list of strings, ${renderTerm(strangers)} was not a string`
}

function findBatchProblem(size: PolicyValue | undefined): string | undefined {
  if (size === undefined || (Number.isInteger(size) && Number(size) > 0)) return undefined
  return `ha-sync-batch-size takes an integer greater than 0, ${renderTerm(size)} given`
}

function findChoiceProblem(
  definition: PolicyDefinition,
  key: string,
  choices: readonly [string, string],
): string | undefined {
  const value = definition[key]
  if (value === undefined || choices.some((choice) => choice === value)) return undefined
  return `${key} must be "${choices[0]}" or "${choices[1]}", got ${renderTerm(value)}`
}

function isList(value: PolicyValue | undefined): value is readonly PolicyValue[] {
  return Array.isArray(value)
}

/** A value as Erlang prints it. */
export function renderTerm(value: PolicyValue | undefined): string {
  if (isList(value)) return `[${value.map(renderTerm).join(',')}]`
  return typeof value === 'string' ? `<<"${value}">>` : String(value)
}
