import type { QueueWalk } from './queue-walk.ts'
import type { Refreshes } from './refreshes.ts'

/** Ends a walk: the copies in flight decide whether anything is held that has to keep its place. */
export async function finishWalk(walk: QueueWalk, refreshes: Refreshes): Promise<void> {
  walk.stop() // an ack would let the broker send on
  await refreshes.idle()
  await walk.finish()
}

/** Walks to the end, and leaves no copy in flight, whatever happens. */
export async function completeWalk(walk: QueueWalk, refreshes: Refreshes): Promise<void> {
  try {
    await walk.run()
    await finishWalk(walk, refreshes)
  } finally {
    await refreshes.idle()
  }
}
