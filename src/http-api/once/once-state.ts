import type { HeardNotice } from '../notices/notice.ts'

/** What was answered to a request, as it is given again to who sends it once more. */
export interface OnceAnswer {
  readonly status: number
  readonly location: string | null
  readonly body: unknown
}

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

/** By caller and key, hashed; the oldest first. */
export type KnownRequests = ReadonlyMap<string, KnownRequest>

/** Whoever sends a request again does so soon. */
export const rememberedMs = 86_400_000
const mostRequests = 10_000

/**
 * What is known after one more notice. All servers read them in one order, so of two that begin the same request the
 * first one does. A request that failed is forgotten: it may be sent again.
 */
export function takeRequestNotice(
  known: KnownRequests,
  { number, notice, isSigned }: HeardNotice,
): KnownRequests {
  if (!isSigned) return known
  if (notice.kind === 'request-begun') {
    const { key, request, at: begunAt } = notice
    const found = known.get(key)
    if (found && !isForgotten(found, Date.parse(begunAt))) return known
    const others = [...known].filter(([each]) => each !== key).slice(-(mostRequests - 1))
    return new Map([...others, [key, { begunIn: number, request, begunAt, answer: undefined }]])
  }
  if (notice.kind !== 'request-ended') return known
  const found = known.get(notice.key)
  if (found?.begunIn !== notice.begunIn) return known
  if (notice.answer === null) return new Map([...known].filter(([each]) => each !== notice.key))
  return new Map([...known, [notice.key, { ...found, answer: notice.answer }]])
}

export function isForgotten({ begunAt }: KnownRequest, nowMs: number): boolean {
  return Date.parse(begunAt) + rememberedMs <= nowMs
}
