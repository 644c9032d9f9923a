import type { Refreshes } from './refreshes.ts'
import type { QueueWalk } from './walk-queue.ts'

/** Ends a walk: what becomes of the copies under way decides whether anything is held that has to keep its place. */
export async function finishWalk(walk: QueueWalk, refreshes: Refreshes): Promise<void> {
  walk.stop() // an ack would let the broker send on
  await refreshes.idle()
  await walk.finish()
}
