import type { FastifyBaseLogger } from 'fastify'
import { steadyClock } from 'warrenmq/operations'

/** Why a record of a stream is not believed, or not at all a record. */
export type StrayKind = 'unreadable' | 'unsigned' | 'not-ours' | 'replayed'

/** Counts what stands in our streams and does not belong there. */
export interface Strays {
  found(stream: string, kind: StrayKind): void
  counts(): readonly { readonly stream: string; readonly kind: StrayKind; readonly count: number }[]
  close(): void
}

/** Many come together, when a server reads a stream from its beginning. */
const gatherMs = 1_000
/** How long more of the same are counted and not told. */
const quietMs = 10 * 60_000

/** @param log told once what was found, and every ten minutes as long as more is found */
export function createStrays(log: Pick<FastifyBaseLogger, 'warn'>): Strays {
  const counts = new Map<string, Map<StrayKind, number>>()
  const telling = new Map<string, NodeJS.Timeout>()
  const toldAt = new Map<string, number>()

  function tellSoon(stream: string): void {
    if (telling.has(stream)) return
    const waited = steadyClock.now() - (toldAt.get(stream) ?? Number.NEGATIVE_INFINITY)
    const timer = setTimeout(() => tell(stream), Math.max(gatherMs, quietMs - waited))
    telling.set(stream, timer.unref())
  }

  function tell(stream: string): void {
    telling.delete(stream)
    toldAt.set(stream, steadyClock.now())
    const found = Object.fromEntries(counts.get(stream) ?? [])
    log.warn({ stream, ...found }, 'the stream contains records that no server with our key has written')
  }

  return {
    found: (stream, kind) => {
      const ofStream = counts.get(stream) ?? new Map<StrayKind, number>()
      counts.set(stream, ofStream.set(kind, (ofStream.get(kind) ?? 0) + 1))
      tellSoon(stream)
    },
    counts: () =>
      [...counts].flatMap(([stream, ofStream]) =>
        [...ofStream].map(([kind, count]) => ({ stream, kind, count })),
      ),
    close: () => {
      for (const timer of telling.values()) clearTimeout(timer)
    },
  }
}
