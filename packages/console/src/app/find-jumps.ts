import { type Place, places } from './places.ts'

export type Jump =
  | { readonly kind: 'page'; readonly name: string; readonly to: Place['to'] }
  | { readonly kind: 'queue'; readonly name: string; readonly messages: number | null }

const most = 12

interface Queue {
  readonly queue: string
  readonly messages: number | null
}

/** Where somebody may want to go who writes this: the deepest queues first, then pages. */
export function findJumps(text: string, queues: readonly Queue[]): readonly Jump[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (name: string): boolean => words.every((word) => name.toLowerCase().includes(word))
  const found = queues
    .filter(({ queue }) => has(queue))
    .toSorted((left, right) => (right.messages ?? 0) - (left.messages ?? 0))
    .slice(0, most)
    .map(({ queue, messages }): Jump => ({ kind: 'queue', name: queue, messages }))
  const pages = places
    .filter(({ name }) => has(name))
    .map(({ name, to }): Jump => ({ kind: 'page', name, to }))
  return [...found, ...pages]
}
