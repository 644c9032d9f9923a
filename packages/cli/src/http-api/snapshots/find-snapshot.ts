import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { refuseHiddenFilter } from '../guards/refuse-hidden-fields.ts'
import type { KeptSnapshot } from './kept-snapshot.ts'
import { goneSnapshot } from './snapshots.ts'

/** Who reads a snapshot. */
export interface SnapshotReader {
  readonly context: Pick<ApiContext, 'settings' | 'snapshots' | 'renameFor'>
  readonly caller: Caller
}

/** Throws where it is not here, or where the caller must not know which messages its filter found. */
export function findSnapshot(
  { context, caller }: SnapshotReader,
  { queue, id }: { readonly queue: string; readonly id: string },
): KeptSnapshot {
  const kept = context.snapshots.get(id)
  if (kept.queue !== queue || !isVisible(kept, { context, caller })) throw goneSnapshot(id)
  return kept
}

export function isVisible({ where }: KeptSnapshot, { context, caller }: SnapshotReader): boolean {
  try {
    refuseHiddenFilter(where, { caller, settings: context.settings })
    return true
  } catch {
    return false
  }
}
