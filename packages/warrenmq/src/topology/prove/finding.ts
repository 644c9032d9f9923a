import { formatDuration } from '../../message/duration.ts'
import type { CompiledBinding } from '../compiled-topology.ts'
import type { findingsByProperty, ProvedProperty } from './finding-names.ts'
import type { LossByEnd } from './node-ends.ts'

/** How a property does not hold, with the path of a message that shows it. */
export interface BrokenProperty<Property extends ProvedProperty> {
  /** Names the kind of finding; an acceptance refers to it. */
  readonly code: (typeof findingsByProperty)[Property][number]
  /** Undefined for what concerns no queue in particular. */
  readonly queue: string | undefined
  /** What happens, step by step. */
  readonly path: readonly string[]
  /** What is wrong, in one sentence. */
  readonly problem: string
  /** What to change. */
  readonly wayOut: string
  /** What is lost by this when a node ends; absent if that loses nothing. */
  readonly losesAt?: LossByEnd
}

/** A property that does not hold. */
export type Finding = {
  readonly [Property in ProvedProperty]: { readonly property: Property } & BrokenProperty<Property>
}[ProvedProperty]

/** `exchange "x" with key "k"`; the default exchange has no name to show. */
export function addressStep(exchange: string, key: string | undefined): string {
  const name = exchange === '' ? 'default exchange' : `exchange ${exchange}`
  return key === undefined || key === '' ? name : `${name}, key ${key}`
}

/** `expired after 5s`; without a TTL of the queue it was the message's own. */
export function expiryStep(ttlMs: number | undefined): string {
  return ttlMs === undefined ? 'expired by its own expiration' : `expired after ${formatDuration(ttlMs)}`
}

export function unusedStep(expiresMs: number): string {
  return `unused for ${formatDuration(expiresMs)}`
}

export function bindingSteps(via: readonly CompiledBinding[]): readonly string[] {
  return via.flatMap(({ key, destinationType, destination }) => [
    ...(key === '' ? [] : [`binding ${key}`]),
    ...(destinationType === 'exchange' ? [`exchange ${destination}`] : []),
  ])
}
