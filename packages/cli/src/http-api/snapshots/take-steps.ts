import { setImmediate as nextTick } from 'node:timers/promises'

/** Others wait no longer than this for their turn. */
const mostMs = 10

/** Does what there is to do in steps, and lets others have their turn every now and then. */
export async function takeSteps<Result>(
  steps: Iterator<undefined, Result, undefined>,
  signal?: AbortSignal,
): Promise<Result> {
  for (let sinceMs = performance.now(); ; ) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - sinceMs < mostMs) continue
    await nextTick()
    signal?.throwIfAborted()
    sinceMs = performance.now()
  }
}
