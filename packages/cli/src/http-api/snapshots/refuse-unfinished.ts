import { ApiError } from 'warrenmq/operations'
import type { KeptSnapshot } from './kept-snapshot.ts'
import { goneSnapshot } from './snapshots.ts'

/** Throws where the snapshot holds nothing. */
export function refuseUnfinished({ id, state }: KeptSnapshot): void {
  if (state === 'running' || state === 'done') return
  const message = `The snapshot ${id} holds nothing: it was ${state === 'failed' ? 'not finished' : 'cancelled'}. Make a new one.`
  throw new ApiError({ code: 'API_TASK_ENDED', message })
}

/** Throws where it holds only a part so far. */
export function refuseRunning(kept: KeptSnapshot): void {
  if (kept.state === 'running') throw notDone(kept)
}

export function notDone({ id }: KeptSnapshot): ApiError {
  const message = `The snapshot ${id} is not done, so its messages cannot be read yet. Ask again in a moment.`
  return new ApiError({ code: 'API_TASK_NOT_ENDED', message })
}

/** It may be erased while it is read. */
export async function orGone<Result>(kept: KeptSnapshot, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    throw kept.isErased ? goneSnapshot(kept.id) : error
  }
}
