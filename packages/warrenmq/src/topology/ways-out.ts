import type { Arguments, ArgumentValue } from './declaration.ts'
import type { SettingChange } from './diff-topology.ts'
import { isSettableByPolicy } from './effective-value.ts'
import type { LiveQueue } from './live-topology.ts'

/** One thing that a person can do about a setting that cannot be changed in place. */
export type WayOut =
  /** The live queue is as the layout's document says: declare it `exact: true` and leave it. */
  | { readonly kind: 'exact' }
  /** All that is missing can be said by a policy, without touching the queue. */
  | {
      readonly kind: 'policy'
      /** The definition of that policy. */
      readonly definition: Arguments
      /** The policy that applies now and would not any more. */
      readonly displaces: string | undefined
    }
  | {
      readonly kind: 'recreate'
      /** Messages that would have to be moved, if known. */
      readonly messages: number | undefined
    }
  | { readonly kind: 'declare-as-is' }
  | { readonly kind: 'rename' }

export function waysOutOf({ kind, changes, live, isExactForm }: ChangeInPlace): readonly WayOut[] {
  if (kind === 'exchange')
    return [{ kind: 'recreate', messages: undefined }, { kind: 'declare-as-is' }, { kind: 'rename' }]
  const definition = policyFor(changes)
  return [
    ...(isExactForm === true ? [{ kind: 'exact' as const }] : []),
    ...(definition === undefined ? [] : [{ kind: 'policy' as const, definition, displaces: live?.policy }]),
    { kind: 'recreate', messages: live?.messages },
    { kind: 'declare-as-is' },
    { kind: 'rename' },
  ]
}

interface ChangeInPlace {
  readonly kind: 'exchange' | 'queue'
  readonly changes: readonly SettingChange[]
  readonly live?: LiveQueue
  readonly isExactForm?: boolean
}

/** A policy fills in what a queue lacks; it cannot overrule what the queue was declared with. */
function policyFor(changes: readonly SettingChange[]): Arguments | undefined {
  const definition: Record<string, ArgumentValue> = {}
  for (const { setting, wanted, live } of changes) {
    if (
      live !== undefined ||
      wanted === undefined ||
      !setting.startsWith('x-') ||
      !isSettableByPolicy(setting)
    )
      return undefined
    definition[setting.slice(2)] = wanted
  }
  return definition
}
