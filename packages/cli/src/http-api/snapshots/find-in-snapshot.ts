import { setImmediate as nextTick } from 'node:timers/promises'
import { ApiError, type IncomingMessage } from 'warrenmq/operations'
import type { SnapshotReader } from './find-snapshot.ts'
import type { KeptSnapshot } from './kept-snapshot.ts'
import { orGone, refuseRunning, refuseUnfinished } from './refuse-unfinished.ts'

/** One message by the name that the caller knows it by. */
export async function findInSnapshot(
  { context, caller }: SnapshotReader,
  kept: KeptSnapshot,
  name: string,
): Promise<{ readonly position: number; readonly sameContent: number; readonly message: IncomingMessage }> {
  refuseUnfinished(kept)
  refuseRunning(kept)
  const positions = await positionsOf({ context, caller }, kept, name)
  const [position] = positions
  if (position === undefined)
    throw new ApiError({
      code: 'API_NOT_FOUND',
      message: `The message ${name} is not in the snapshot ${kept.id}. It may have died later: make a new one.`,
    })
  const message = await orGone(kept, () => kept.read(position))
  return { position, sameContent: positions.length - 1, message }
}

const namesPerTick = 2_000

/** Of who has names of their own each name has to be made, and others have to be served meanwhile. */
async function positionsOf(
  { context, caller }: SnapshotReader,
  { columns }: KeptSnapshot,
  name: string,
): Promise<readonly number[]> {
  const { keys, length } = columns
  const isOwn = length > 0 && context.renameFor(keys.at(0), caller) !== keys.at(0)
  if (!isOwn) return keys.find(name)
  const found: number[] = []
  for (let at = 0; at < length; at += 1) {
    if (context.renameFor(keys.at(at), caller) === name) found.push(at)
    if (at % namesPerTick === 0) await nextTick()
  }
  return found
}
