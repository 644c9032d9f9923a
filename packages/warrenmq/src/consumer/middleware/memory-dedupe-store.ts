import { type Clock, realClock } from '../../clock.ts'
import { refuseUnknown } from '../../message/refuse-unknown.ts'
import type { DedupeStore } from './dedupe.ts'

/**
 * Remembers in this process alone: for one consumer, and for tests. The oldest are forgotten beyond `limit`.
 * @example
 * ```ts
 * await warren.consume('orders', save, { dedupe: memoryDedupeStore({ limit: 10_000 }) })
 * ```
 */
export function memoryDedupeStore(
  options: { readonly limit?: number; readonly clock?: Clock } = {},
): DedupeStore {
  refuseUnknown('memoryDedupeStore()', options, { limit: true, clock: true })
  const { limit = 100_000, clock = realClock } = options
  /** The token of who is at a message; none when it is done. */
  const known = new Map<string, { readonly token: string | undefined; readonly untilMs: number }>()
  let claims = 0

  function put(key: string, token: string | undefined, keepMs: number): void {
    known.delete(key)
    known.set(key, { token, untilMs: clock.now() + keepMs })
    if (known.size > limit) known.delete(known.keys().next().value!)
  }

  function current(key: string): { readonly token: string | undefined } | undefined {
    const entry = known.get(key)
    return entry && entry.untilMs > clock.now() ? entry : undefined
  }

  return {
    begin: async (key, leaseMs) => {
      const entry = current(key)
      if (entry) return entry.token === undefined ? 'done' : 'busy'
      claims += 1
      const token = String(claims)
      put(key, token, leaseMs)
      return { key, token }
    },
    finish: async ({ key, token }, keepMs) => {
      const holder = current(key)?.token
      if (holder !== undefined && holder !== token) return false
      put(key, undefined, keepMs)
      return true
    },
    release: async ({ key, token }) => {
      if (known.get(key)?.token === token) known.delete(key)
    },
  }
}
