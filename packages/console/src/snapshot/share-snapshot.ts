import { api, type Schemas } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'

type Snapshot = Schemas['Snapshot']

/** Whoever opens a queue gets what somebody has just looked at, unless it is older than this. */
const sharedMs = 120_000

/**
 * The snapshot that the reader has already, as it is now; else the one that others have just made or are making; else
 * a new one. One that has expired, or is on another server, is replaced.
 */
export async function shareSnapshot(
  queue: string,
  known: Snapshot | undefined,
  signal: AbortSignal,
): Promise<Snapshot> {
  if (known) {
    const params = { path: { queue, id: known.id } }
    const answer = await api.GET('/api/v1/dlqs/{queue}/snapshots/{id}', { params, signal })
    if (answer.response.status !== 404 && answer.response.status !== 409) return dataOf(answer)
  }
  const path = { queue }
  const { items } = dataOf(await api.GET('/api/v1/dlqs/{queue}/snapshots', { params: { path }, signal }))
  if (!items.some((each) => isWorthSharing(each, { nowMs: Date.now(), changedAtMs: 0 })))
    return makeSnapshot(queue)
  const moments = { nowMs: Date.now(), changedAtMs: await lastChangeOf(queue, signal) }
  return items.find((each) => isWorthSharing(each, moments)) ?? makeSnapshot(queue)
}

/** One look. While it runs, whoever asks gets the same. */
export async function makeSnapshot(queue: string): Promise<Snapshot> {
  return dataOf(await api.POST('/api/v1/dlqs/{queue}/snapshots', { params: { path: { queue } }, body: {} }))
}

/** When a re-drive last took messages out of the queue: what was seen before shows those that are gone. */
async function lastChangeOf(queue: string, signal: AbortSignal): Promise<number> {
  const query = { queue, kind: ['redrive' as const], limit: 20 }
  const { items } = dataOf(await api.GET('/api/v1/tasks', { params: { query }, signal }))
  return Math.max(0, ...items.map(({ endedAt }) => (endedAt === null ? 0 : Date.parse(endedAt))))
}

function isWorthSharing(
  { state, where, isWhole, asOf }: Snapshot,
  { nowMs, changedAtMs }: { readonly nowMs: number; readonly changedAtMs: number },
): boolean {
  if (where !== null) return false
  if (state === 'running') return true
  const asOfMs = Date.parse(asOf)
  return state === 'done' && isWhole && nowMs - asOfMs < sharedMs && asOfMs > changedAtMs
}
