import { api, type Schemas } from '../api/api.ts'
import { ApiProblem, dataOf } from '../api/api-problem.ts'

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
  const { items } = dataOf(
    await api.GET('/api/v1/dlqs/{queue}/snapshots', { params: { path: { queue } }, signal }),
  )
  return items.find((each) => isWorthSharing(each, Date.now())) ?? (await makeSnapshot(queue))
}

export function isWorthSharing({ state, where, isWhole, asOf }: Snapshot, nowMs: number): boolean {
  if (where !== null) return false
  if (state === 'running') return true
  return state === 'done' && isWhole && nowMs - Date.parse(asOf) < sharedMs
}

/** One look. While it runs, whoever asks gets the same. */
export async function makeSnapshot(queue: string): Promise<Snapshot> {
  return dataOf(await api.POST('/api/v1/dlqs/{queue}/snapshots', { params: { path: { queue } }, body: {} }))
}

/** The snapshot was erased meanwhile, or its server was restarted: another look brings another one. */
export function isSnapshotGone(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return false
  return error.code === 'API_SNAPSHOT_ELSEWHERE' || error.code === 'API_TASK_ENDED'
}
