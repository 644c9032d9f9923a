import { type Clock, realClock } from '../../clock.ts'
import type { DedupeStore } from './dedupe.ts'

/** Remembers in this process alone: for one consumer, and for tests. The oldest are forgotten beyond `limit`. */
export function memoryDedupeStore({
  limit = 100_000,
  clock = realClock,
}: {
  readonly limit?: number
  readonly clock?: Clock
} = {}): DedupeStore {
  const known = new Map<string, { readonly state: 'busy' | 'done'; readonly untilMs: number }>()

  function put(key: string, state: 'busy' | 'done', keepMs: number): void {
    known.delete(key)
    known.set(key, { state, untilMs: clock.now() + keepMs })
    if (known.size > limit) known.delete(known.keys().next().value!)
  }

  return {
    begin: async (key, leaseMs) => {
      const entry = known.get(key)
      if (entry && entry.untilMs > clock.now()) return entry.state
      put(key, 'busy', leaseMs)
      return 'new'
    },
    finish: async (key, keepMs) => put(key, 'done', keepMs),
    release: async (key) => {
      known.delete(key)
    },
  }
}
