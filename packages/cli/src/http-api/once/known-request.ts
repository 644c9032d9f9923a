import type { HeardNotice } from '../notices/notice.ts'
import type { OnceAnswer } from './once-answer.ts'

/** A request that came with an idempotency key. */
export interface KnownRequest {
  /** The notice that began it. */
  readonly begunIn: string
  /** What it asked for, hashed. */
  readonly request: string
  readonly begunAt: string
  /** Undefined for as long as it is under way, and for ever where its server ended before it could tell. */
  readonly answer: OnceAnswer | undefined
}

/** Whoever sends a request again does so soon. */
export const rememberedMs = 86_400_000

/** What a notice changes of the request with this key. */
export type RequestChange =
  | { readonly kind: 'none' }
  /** It is the newest now, and replaces one with the same key that is forgotten. */
  | { readonly kind: 'begun'; readonly key: string; readonly request: KnownRequest }
  | { readonly kind: 'answered'; readonly key: string; readonly request: KnownRequest }
  | { readonly kind: 'failed'; readonly key: string }

const none: RequestChange = { kind: 'none' }

/**
 * What one more notice changes. All servers read them in one order, so of two that begin the same request the first one
 * does. A request that failed is forgotten: it may be sent again.
 */
export function decideRequestChange(
  known: Pick<ReadonlyMap<string, KnownRequest>, 'get'>,
  { number, notice, isSigned }: HeardNotice,
): RequestChange {
  if (!isSigned) return none
  if (notice.kind === 'request-begun') {
    const { key, request, at: begunAt } = notice
    const found = known.get(key)
    if (found && !isForgotten(found, Date.parse(begunAt))) return none
    return { kind: 'begun', key, request: { begunIn: number, request, begunAt, answer: undefined } }
  }
  if (notice.kind !== 'request-ended') return none
  const { key, begunIn, answer } = notice
  const found = known.get(key)
  if (found?.begunIn !== begunIn) return none
  return answer === null ? { kind: 'failed', key } : { kind: 'answered', key, request: { ...found, answer } }
}

export function isForgotten({ begunAt }: KnownRequest, nowMs: number): boolean {
  return Date.parse(begunAt) + rememberedMs <= nowMs
}
